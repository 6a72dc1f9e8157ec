/// A packet of Victron's instant readout, encrypted with the device's key. The manufacturer data of company 0x02E1.
///
/// The source is Victron's "Extra Manufacturer Data" of 2022-12-14, and the parser victron-ble 0.9.3. Nothing proves that a
/// packet is genuine: its first byte only says whether the key fits. Its counter, of 16 bits, rises with each packet.
enum Victron {
    static let company: UInt16 = 0x02E1

    /// - Throws: `short`, `key` or `authentication`.
    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        let bytes = input.bytes
        guard bytes.first == 0x10, bytes.count >= 9 else { return nil }
        let model = UInt16(bytes[3]) << 8 | UInt16(bytes[2])
        // The Smart Battery Sense says that it is a solar charger.
        let isSense = model == 0xA3A4 || model == 0xA3A5
        guard let fields = records[isSense ? 0x02 : bytes[4]] else { return nil }
        guard let key = input.key else { throw .key }
        guard bytes[7] == key.bytes[0] else { throw .authentication }
        // All records fit into the first block.
        let start = [bytes[5], bytes[6]] + [UInt8](repeating: 0, count: 14)
        let text = try AESCCM.decryptCounter(Array(bytes[8...].prefix(16)), start: start, key: key)
        let counter = PacketCounter(value: UInt32(bytes[6]) << 8 | UInt32(bytes[5]), bits: 16)
        let values = try SensorFields.decode(fields, bytes: text).filter { !isSense || senseFields.contains($0.field) }
        return .sensor(SensorPacket(.victron, values, counter: counter))
    }

    private static let senseFields: Set = ["battery_voltage", "temperature"]

    private static let modes = """
        0:off 1:low_power 2:fault 3:bulk 4:absorption 5:float 6:storage 7:equalize 9:inverting 11:power_supply \
        245:starting_up 246:repeated_absorption 247:recondition 248:battery_safe 249:active 252:external_control 255=unknown
        """

    /// By the type of record. The bits follow each other, the lowest first.
    static let texts: [UInt8: String] = [
        // Solar charger.
        0x01: """
        charge_state uint8 \(modes); charger_error uint8 255=unknown
        battery_voltage sint16 *1e-2 V 32767=unknown; battery_current sint16 *1e-1 A 32767=unknown
        yield_today uint16 *10 Wh 65535=unknown; solar_power uint16 W 65535=unknown
        load_current uint9 *1e-1 A 511=unknown
        """,
        // Battery monitor: BMV, SmartShunt. Its input is a starter battery, a midpoint, or a temperature.
        0x02: """
        remaining_time uint16 min 65535=unknown; battery_voltage sint16 *1e-2 V 32767=unknown; alarm uint16
        _input uint2 @8; current sint22 *1e-3 A -1=unknown; consumed_charge uint20 *-1e-1 Ah 0xFFFFF=unknown
        battery uint10 *1e-1 % 1023=unknown
        starter_voltage sint16 @6 *1e-2 V ?_input=0; midpoint_voltage uint16 @6 *1e-2 V ?_input=1
        temperature uint16 @6 *1e-2 +-27315 °C 65535=unknown ?_input=2
        """,
        // Inverter.
        0x03: """
        device_state uint8 \(modes); alarm uint16; battery_voltage sint16 *1e-2 V 32767=unknown
        ac_apparent_power uint16 VA 65535=unknown; ac_voltage uint15 *1e-2 V 32767=unknown
        ac_current uint11 *1e-1 A 2047=unknown
        """,
        // DC-DC converter.
        0x04: """
        device_state uint8 \(modes); charger_error uint8 255=unknown; input_voltage uint16 *1e-2 V 65535=unknown
        output_voltage sint16 *1e-2 V 32767=unknown; off_reason uint32
        """,
        // Smart lithium battery.
        0x05: """
        bms_flags uint32; error_flags uint16
        \((1...8).map { "cell_voltage_\($0) uint7 *1e-2 +260 V 0=under 126=over 127=unknown" }.joined(separator: "; "))
        battery_voltage uint12 *1e-2 V 4095=unknown; balancer_status uint4 15=unknown
        battery_temperature uint7 +-40 °C 127=unknown
        """,
        // Charger for AC.
        0x08: """
        charge_state uint8 \(modes); charger_error uint8 255=unknown
        output_voltage_1 uint13 *1e-2 V 8191=unknown; output_current_1 uint11 *1e-1 A 2047=unknown
        output_voltage_2 uint13 *1e-2 V 8191=unknown; output_current_2 uint11 *1e-1 A 2047=unknown
        output_voltage_3 uint13 *1e-2 V 8191=unknown; output_current_3 uint11 *1e-1 A 2047=unknown
        temperature uint7 +-40 °C 127=unknown; ac_current uint9 *1e-1 A 511=unknown
        """,
        // Smart BatteryProtect.
        0x09: """
        device_state uint8 \(modes); output_state uint8 255=unknown; charger_error uint8 255=unknown
        alarm uint16; warning uint16; input_voltage sint16 *1e-2 V 32767=unknown
        output_voltage uint16 *1e-2 V 65535=unknown; off_reason uint32
        """,
        // Lynx Smart BMS.
        0x0A: """
        error_flags uint8; remaining_time uint16 min 65535=unknown; battery_voltage sint16 *1e-2 V 32767=unknown
        current sint16 *1e-1 A 32767=unknown; io_status uint16; alarm_flags uint18
        battery uint10 *1e-1 % 1023=unknown; consumed_charge uint20 *1e-1 Ah 0xFFFFF=unknown
        battery_temperature uint7 +-40 °C 127=unknown
        """,
        // VE.Bus.
        0x0C: """
        device_state uint8 \(modes); charger_error uint8 255=unknown; battery_current sint16 *1e-1 A 32767=unknown
        battery_voltage uint14 *1e-2 V 16383=unknown; ac_input uint2 3=unknown
        ac_input_power sint19 W 262143=unknown; ac_output_power sint19 W 262143=unknown; alarm uint2 3=unknown
        battery_temperature uint7 +-40 °C 127=unknown; battery uint7 % 127=unknown
        """,
        // DC energy meter.
        0x0D: """
        meter_type sint16 -9:solar_charger -8:wind_charger -7:shaft_generator -6:alternator -5:fuel_cell \
        -4:water_generator -3:dc_dc_charger -2:ac_charger -1:source 1:load 2:electric_drive 3:fridge 4:water_pump \
        5:bilge_pump 6:dc_system 7:inverter 8:water_heater
        voltage sint16 *1e-2 V 32767=unknown; alarm uint16
        _input uint2 @8; current sint22 *1e-3 A -1=unknown; starter_voltage sint16 @6 *1e-2 V ?_input=0
        temperature uint16 @6 *1e-2 +-27315 °C 65535=unknown ?_input=2
        """,
        // Orion XS.
        0x0F: """
        device_state uint8 \(modes); charger_error uint8 255=unknown; output_voltage uint16 *1e-2 V 65535=unknown
        output_current uint16 *1e-1 A 65535=unknown; input_voltage uint16 *1e-2 V 65535=unknown
        input_current uint16 *1e-1 A 65535=unknown; off_reason uint32
        """,
    ]

    private static let records: [UInt8: [RecipeField]] = texts.mapValues { PacketLayout.fields($0) }
}
