// swift-format-ignore-file

/// The objects of MiBeacon, one per line, sorted by identifier: `id|kind|what`.
///
/// Kinds: `fields` in the notation of FieldNotation.swift; `true` and `false` say a fact by their presence; `idle` is
/// the time without motion; `button` is an event of a button; `inverse` is true for 0; the others are special.
/// Source: Xiaomi's object definitions at iot.mi.com and miot-spec.org, as in xiaomi-ble 1.21.2.
enum MiBeaconTable {
    static let table = TextTable(
        """
        0003|true|motion
        0006|fingerprint|
        0007|door|
        0008|armed|
        000a|fields|temperature sint16 *1e-2 °C 0=unknown
        000b|lock|
        000f|light|
        0010|toothbrush|
        1001|button|
        1004|fields|temperature sint16 *1e-1 °C
        1005|fields|power uint8 bool; temperature uint8 °C
        1006|fields|humidity uint16 *1e-1 %
        1007|illuminance|
        1008|fields|moisture uint8 %
        1009|fields|conductivity uint16 µS/cm
        100a|fields|battery uint8 %
        100d|fields|temperature sint16 *1e-1 °C; humidity uint16 *1e-1 %
        100e|attribute|
        100f|safe|
        1010|fields|formaldehyde uint16 *1e-2 mg/m³
        1012|fields|power uint8 bool
        1013|fields|consumable uint8 %
        1014|fields|moisture_detected uint8 bool
        1015|fields|smoke uint8 bool
        1017|idle|idle_time uint32 s
        1018|fields|light uint8 bool
        1019|opening|0 1 2
        101b|false|motion
        2000|body|
        3003|brushing|
        4801|fields|temperature float32 °C
        4802|fields|humidity uint8 %
        4803|fields|battery uint8 %
        4804|opening|1 2 -
        4805|fields|illuminance float32 lx
        4806|leak|moisture_detected uint8 bool
        4808|fields|humidity float32 %
        480c|opening|0 1
        4818|idle|idle_time uint16 s
        483c|fields|occupancy uint8 bool
        483d|fields|pressure_present_duration uint32 s
        483e|fields|pressure_not_present_duration uint32 s
        484e|fields|occupancy uint8 bool
        4851|fields|duration_detected uint8 min
        4852|fields|duration_cleared uint8 min
        487b|fields|top_splash uint8 bool
        4a01|fields|battery_low uint8 bool
        4a08|motion|illuminance float32 lx
        4a0c|button|press
        4a0d|button|double_press
        4a0e|button|long_press
        4a0f|removed|
        4a12|opening|1 2 -
        4a13|single|
        4a1a|opening|- - 1
        4a68|water|bottom_submersion top_splash
        4c01|fields|temperature float32 °C
        4c02|fields|humidity uint8 %
        4c03|fields|battery uint8 %
        4c08|fields|humidity float32 %
        4e01|fields|battery_low uint8 bool
        4e0c|button|press
        4e0d|button|double_press
        4e0e|button|long_press
        4e16|scale200|
        4e1c|true|device_reset
        5003|fields|battery uint8 %
        5413|close|
        5422|charging|
        560c|button|press
        560d|button|double_press
        560e|button|long_press
        5810|inverse|asleep
        6461|inverse|wearing
        6e16|scale400|
        """)
}
