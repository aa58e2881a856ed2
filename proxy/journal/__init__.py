"""The journal: one record for each statement and each refresh, while it runs and for some time after its end.

`Journal` keeps the records of this process in memory, where SHOW VIEWGATE reads them. When a statement or refresh ends,
each `Sink` gets its record. So the figures in SHOW VIEWGATE, in the metrics and in the files agree. Nothing in this
package blocks the event loop.
"""

from proxy.journal.journal import Journal, Sink
from proxy.journal.record import Outcome, Phase, Record
from proxy.journal.refresh import Cause, Refresh
from proxy.journal.texts import digest, one_word
from proxy.journal.usage import Usage, Uses, digests
from proxy.journal.writer import JsonLines, Writer

__all__ = [
    "Cause",
    "Journal",
    "JsonLines",
    "Outcome",
    "Phase",
    "Record",
    "Refresh",
    "Sink",
    "Usage",
    "Uses",
    "Writer",
    "digest",
    "digests",
    "one_word",
]
