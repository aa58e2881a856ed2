"""Records (names, result types) of the string functions."""

from __future__ import annotations

from rewriter.functions.record import Function
from rewriter.functions.results import BIGINT, BOOLEAN, INT, TEXT, of_text, texts

TEXT_FUNCTIONS = (
    Function("upper", of_text, ("ucase",)),
    Function("lower", of_text, ("lcase",)),
    Function("initcap", of_text),
    Function("length", INT, ("character_length", "char_length")),
    Function("ascii", INT),
    Function("bin", TEXT),
    Function("substring", of_text, ("substr",), printed_arity=3),
    Function("left", of_text),
    Function("right", of_text),
    Function("substring_index", of_text),
    Function("split_part", of_text),
    Function("instr", INT),
    Function("locate", INT, ("position",), printed=False),
    Function("startswith", BOOLEAN),
    Function("endswith", BOOLEAN),
    Function("contains", BOOLEAN),
    Function("concat", texts),
    Function("concat_ws", texts),
    Function("format_string", texts, ("printf",)),
    Function("repeat", of_text),
    Function("reverse", of_text),
    Function("replace", of_text, printed_arity=3, printed_defaults=("",)),
    Function("translate", of_text),
    Function("overlay", of_text, readable=False, printed=False),
    Function("elt", lambda types: texts(types[1:]), readable=False, printed=False),
    Function("lpad", of_text, printed_arity=3, printed_defaults=(" ",)),
    Function("rpad", of_text, printed_arity=3, printed_defaults=(" ",)),
    Function("trim", of_text, printed_arity=1),
    Function("btrim", of_text),
    Function("ltrim", of_text, printed_arity=1),
    Function("rtrim", of_text, printed_arity=1),
    Function("regexp_replace", TEXT, printed_arity=4, printed_defaults=("1",)),
    Function("regexp_extract", TEXT, printed_arity=3, printed_defaults=("1",)),
    Function("regexp_substr", TEXT),
    Function("get_json_object", TEXT),
    Function("md5", TEXT),
    Function("sha1", TEXT),
    Function("sha2", TEXT),
    Function("crc32", BIGINT),
)
