"""What each call of TCLIService means: one file per call, enrolled in `handlers.HANDLERS`.

`Service.handle` takes a whole message from a peer and returns the whole reply. Operations come in two kinds
that answer the same calls: `forwarded`, whose rows pass through as bytes, and `local`, answered here.
"""

from proxy.service.call import REQUEST_HANDLE
from proxy.service.handlers import HANDLERS
from proxy.service.operation import RunningOperation
from proxy.service.peer import Peer
from proxy.service.service import Service
from proxy.service.settled import Settled

__all__ = ["HANDLERS", "REQUEST_HANDLE", "Peer", "RunningOperation", "Service", "Settled"]
