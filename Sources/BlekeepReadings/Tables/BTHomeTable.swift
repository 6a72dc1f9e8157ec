// swift-format-ignore-file

/// The objects of BTHome v2, one per line, sorted by identifier: `id|kind|field`.
///
/// FieldNotation.swift explains the notation of fields. The packet contains the length of a text or a command.
/// Source: the format's own table at bthome.io, mid-2026.
enum BTHomeTable {
    static let table = TextTable(
        """
        0000|number|packet_id uint8
        0001|number|battery uint8 %
        0002|number|temperature sint16 *1e-2 °C
        0003|number|humidity uint16 *1e-2 %
        0004|number|pressure uint24 *1e-2 hPa
        0005|number|illuminance uint24 *1e-2 lx
        0006|number|mass uint16 *1e-2 kg
        0007|number|mass uint16 *1e-2 lb
        0008|number|dew_point sint16 *1e-2 °C
        0009|number|count uint8
        000a|number|energy uint24 *1e-3 kWh
        000b|number|power uint24 *1e-2 W
        000c|number|voltage uint16 *1e-3 V
        000d|number|pm2_5 uint16 µg/m³
        000e|number|pm10 uint16 µg/m³
        000f|binary|generic_boolean uint8
        0010|binary|power_on uint8
        0011|binary|opening uint8
        0012|number|co2 uint16 ppm
        0013|number|tvoc uint16 µg/m³
        0014|number|moisture uint16 *1e-2 %
        0015|binary|battery_low uint8
        0016|binary|battery_charging uint8
        0017|binary|carbon_monoxide uint8
        0018|binary|cold uint8
        0019|binary|connectivity uint8
        001a|binary|door uint8
        001b|binary|garage_door uint8
        001c|binary|gas_detected uint8
        001d|binary|heat uint8
        001e|binary|light uint8
        001f|binary|lock uint8
        0020|binary|moisture_detected uint8
        0021|binary|motion uint8
        0022|binary|moving uint8
        0023|binary|occupancy uint8
        0024|binary|plug uint8
        0025|binary|presence uint8
        0026|binary|problem uint8
        0027|binary|running uint8
        0028|binary|safety uint8
        0029|binary|smoke uint8
        002a|binary|sound uint8
        002b|binary|tamper uint8
        002c|binary|vibration uint8
        002d|binary|window uint8
        002e|number|humidity uint8 %
        002f|number|moisture uint8 %
        003a|button|button uint8
        003b|command|command
        003c|dimmer|dimmer uint16
        003d|number|count uint16
        003e|number|count uint32
        003f|number|rotation sint16 *1e-1 °
        0040|number|distance uint16 mm
        0041|number|distance uint16 *1e-1 m
        0042|number|duration uint24 *1e-3 s
        0043|number|current uint16 *1e-3 A
        0044|number|speed uint16 *1e-2 m/s
        0045|number|temperature sint16 *1e-1 °C
        0046|number|uv_index uint8 *1e-1
        0047|number|volume uint16 *1e-1 L
        0048|number|volume uint16 mL
        0049|number|volume_flow_rate uint16 *1e-3 m³/h
        004a|number|voltage uint16 *1e-1 V
        004b|number|gas uint24 *1e-3 m³
        004c|number|gas uint32 *1e-3 m³
        004d|number|energy uint32 *1e-3 kWh
        004e|number|volume uint32 *1e-3 L
        004f|number|water uint32 *1e-3 L
        0050|number|timestamp uint32 s
        0051|number|acceleration uint16 *1e-3 m/s²
        0052|number|gyroscope uint16 *1e-3 °/s
        0053|text|text
        0054|raw|raw
        0055|number|volume_storage uint32 *1e-3 L
        0056|number|conductivity uint16 µS/cm
        0057|number|temperature sint8 °C
        0058|number|temperature sint8 *35e-2 °C
        0059|number|count sint8
        005a|number|count sint16
        005b|number|count sint32
        005c|number|power sint32 *1e-2 W
        005d|number|current sint16 *1e-3 A
        005e|number|direction uint16 *1e-2 °
        005f|number|precipitation uint16 *1e-1 mm
        0060|number|channel uint8
        0061|number|rotational_speed uint16 rpm
        0062|number|speed sint32 *1e-6 m/s
        0063|number|acceleration sint32 *1e-6 m/s²
        0064|number|light_level uint8
        0065|number|settings_revision uint8
        00f0|number|device_type_id uint16
        00f1|version|firmware_version hex(4)
        00f2|version|firmware_version hex(3)
        """)
}
