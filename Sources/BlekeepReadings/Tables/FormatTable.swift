// swift-format-ignore-file

/// The formats of descriptor 0x2904, one per line, sorted by code: `code|name|bytes|x`.
///
/// The third column is empty for a format of any length. `x`: the exponent applies.
/// Source: the Assigned Numbers of the Bluetooth SIG, mid-2026.
enum FormatTable {
    static let table = TextTable(
        """
        0001|boolean|1|
        0002|uint2|1|
        0003|uint4|1|
        0004|uint8|1|x
        0005|uint12|2|x
        0006|uint16|2|x
        0007|uint24|3|x
        0008|uint32|4|x
        0009|uint48|6|x
        000a|uint64|8|x
        000b|uint128|16|x
        000c|sint8|1|x
        000d|sint12|2|x
        000e|sint16|2|x
        000f|sint24|3|x
        0010|sint32|4|x
        0011|sint48|6|x
        0012|sint64|8|x
        0013|sint128|16|x
        0014|float32|4|
        0015|float64|8|
        0016|medfloat16|2|
        0017|medfloat32|4|
        0018|uint16[2]|4|
        0019|utf8s||
        001a|utf16s||
        001b|struct||
        001c|medASN1||
        """)
}
