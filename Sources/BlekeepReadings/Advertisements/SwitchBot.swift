/// A packet of a SwitchBot device. The service data of 0xFD3D or 0x0D00 has the model and the charge, and in old devices the
/// values. New ones have these in the manufacturer data of company 0x0969.
///
/// The source is SwitchBot's description of the packets at github.com/OpenWonderLabs/SwitchBotAPI-BLE, and the parser of
/// pySwitchbot 3.1.0. Zeros alone say nothing: a meter that says 0 °C and 0 % has not measured yet.
enum SwitchBot {
    static let companies: [UInt16] = [0x0969, 0x02E5]
    static let services = [BluetoothUUID(0xFD3D), BluetoothUUID(0x0D00)]

    /// The devices that send the same packet. Fields have the notation of `PacketLayout`.
    struct Model: Sendable {
        let model: SwitchBotModel
        /// The low seven bits of the service data's first byte.
        var codes: [UInt8] = []
        /// The bytes near the end of the service data of newer devices, without the first, which is 0 or 1.
        var endings: [[UInt8]] = []
        var names: [String] = []
        /// The fields of the manufacturer data.
        var new: [RecipeField] = []
        var minimum = 0
        /// The place of a temperature and a humidity in the manufacturer data.
        var climate: Int?
        /// The fields of the service data, used when the manufacturer data has no values.
        var old: [RecipeField] = []
        var oldMinimum = 0
        var oldClimate: Int?
        /// Whether the third byte of the service data is the charge.
        var hasCharge = true
        var isVacuum = false
        /// The texts of the fields.
        let notation: [String]
        /// Those with the fields that have no notation.
        var allNotation: [String] {
            notation + (hasCharge ? ["battery"] : [])
                + (climate != nil || oldClimate != nil ? ["temperature; humidity"] : [])
                + (model == .curtain ? ["calibrated"] : []) + (isVacuum ? ["firmware_version"] : [])
        }

        init(
            _ model: SwitchBotModel, codes: String = "", bytes: [UInt8] = [], endings: [UInt32] = [],
            names: [String] = [], _ new: String = "", from minimum: Int = 0, climate: Int? = nil, old: String = "",
            oldFrom oldMinimum: Int = 0, oldClimate: Int? = nil, hasCharge: Bool = true, isVacuum: Bool = false
        ) {
            self.model = model
            self.codes = Array(codes.utf8) + bytes
            self.endings = endings.map { [UInt8($0 >> 16 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
            self.names = names
            notation = [new, old]
            self.new = PacketLayout.fields(new)
            self.minimum = minimum
            self.climate = climate
            self.old = PacketLayout.fields(old)
            self.oldMinimum = oldMinimum
            self.oldClimate = oldClimate
            self.hasCharge = hasCharge
            self.isVacuum = isVacuum
        }
    }

    private static let contact = """
        motion bit @7.7; opening uint2 @7.4 0:false 1:true 2:true 3:true; door_left_open bit @7.5; light bit @7.6
        button_count uint4 @12.0
        """
    private static let oldContact = """
        motion bit @1.6; opening uint2 @3.1 0:false 1:true 2:true 3:true; door_left_open bit @3.2; light bit @3.0
        button_count uint4 @8.0
        """
    private static let curtain = """
        moving bit @8.7; position uint7 @8.0 ~0:100,100:0 %; light_level uint4 @9.4; device_chain uint3 @9.0
        battery uint7 @12.0 % ?size≥13
        """
    private static let oldCurtain = """
        moving bit @3.7; position uint7 @3.0 ~0:100,100:0 %; light_level uint4 @4.4
        device_chain uint3 @4.0
        """
    private static let lockStates = """
        0:locked 1:unlocked 2:locking 3:unlocking 4:locking_stopped 5:unlocking_stopped 6:latched 7:half_locked
        """
    private static let lite = """
        calibrated bit @7.7; lock_state uint3 @7.4 \(lockStates); update_from_secondary_lock bit @7.3
        double_lock_mode bit @8.7; unlocked_alarm bit @8.4; night_latch bit @9.0 ?size≥10
        """
    private static let lock = lite + "\n" + "door_open bit @7.2; unclosed_alarm bit @8.5; auto_lock_paused bit @8.1"
    private static let newLock = """
        calibrated bit @7.7; lock_state uint4 @7.3 \(lockStates); update_from_secondary_lock uint2 @8.6 bool
        door_open_from_secondary_lock bit @8.5; door_open bit @8.4; auto_lock_paused bit @8.3; battery uint7 @9.0 %
        double_lock_mode bit @10.7; is_secondary_lock bit @10.6; manual_unlock_linkage bit @10.5
        unclosed_alarm bit @11.7; unlocked_alarm bit @11.6
        """
    private static let lockPro =
        newLock + """

            low_temperature_alarm bit @11.5; left_battery_compartment_alarm bit @11.2
            right_battery_compartment_alarm bit @11.1
            """
    private static let lockUltra = newLock + "\n" + "power_alarm bit @11.4; battery_status uint3 @11.0"
    private static let light = """
        power_on bit @7.7; brightness uint7 @7.0 %; color_mode uint4 @8.0; network_state uint3 @8.4
        """
    private static let fan = """
        power_on bit @7.7; night_light uint2 @7.2; oscillating_horizontal bit @7.1; oscillating_vertical bit @7.0
        battery uint7 @8.0 %; speed uint7 @9.0
        mode uint3 @7.4 1:normal 2:natural 3:sleep 4:baby 5:custom_natural
        """
    private static let vacuum = """
        step uint4 @11.0; mqtt_connected bit @11.4; battery uint8 @12 %; work_status uint6 @13.0
        """
    private static let smallVacuum = """
        dustbin_bound bit @7.7; dustbin_connected bit @7.6; network_connected bit @7.5; work_status uint1 @7.4
        battery uint7 @8.0 %
        """
    private static let purifier = """
        power_on bit @7.7; _mode uint3 @7.0; child_lock bit @8.1; air_quality_valid bit @8.2; speed uint7 @9.0
        mode uint3 @7.0 2:auto 3:sleep 4:pet ?_mode≥2 ?_mode<5; mode uint1 @7.7 0:level_1 1:level_1 ?_mode=1 ?speed<34
        mode uint1 @7.7 0:level_2 1:level_2 ?_mode=1 ?speed≥34 ?speed<67
        mode uint1 @7.7 0:level_3 1:level_3 ?_mode=1 ?speed≥67
        air_quality uint2 @10.1 0:excellent 1:good 2:moderate 3:unhealthy; filter_time uint16 @11 h
        error_code uint8 @13
        """
    private static let keypad = """
        battery_charging bit @7.7; battery uint7 @7.0 %; lockout_alarm bit @8.0; tamper bit @8.1; duress_alarm bit @8.2
        high_temperature bit @8.6; low_temperature bit @8.7; doorbell bit @12.3; doorbell_count uint3 @12.0
        """
    private static let humidifier = """
        power_on bit @7.7; over_humidify_protection bit @8.7; child_lock bit @8.5; tank_removed bit @8.2
        tilted bit @8.1; filter_missing bit @8.0; water_level uint2 @11.0 0:empty 1:low 2:medium 3:high
        mode uint4 @7.0 1:high 2:medium 3:low 4:quiet 5:target_humidity 6:sleep 7:auto 8:drying_filter
        target_humidity uint7 @16.0 %; _skip uint4 @12; filter_time uint12 h; is_meter_bound bit @9.7
        _humidity uint7 @9.0
        humidity uint7 @9.0 % ?is_meter_bound=true ?_humidity<101
        _plus bit @10.7; _tenths uint4 @11.4 *1e-1 ?_plus=true; _tenths uint4 @11.4 *-1e-1 ?_plus=false
        temperature uint7 @10.0 +_tenths °C ?is_meter_bound=true ?_humidity<101 ?_plus=true
        temperature uint7 @10.0 *-1 +_tenths °C ?is_meter_bound=true ?_humidity<101 ?_plus=false
        """
    private static let radiator = """
        power_on bit @7.7; battery uint7 @7.0 %; _plus bit @10.7; _tenths uint4 @8.4 *1e-1 ?_plus=true
        _tenths uint4 @8.4 *-1e-1 ?_plus=false; target_temperature uint7 @10.0 +_tenths °C ?_plus=true
        target_temperature uint7 @10.0 *-1 +_tenths °C ?_plus=false
        _warm bit @9.7; _tenths uint4 @8.0 *1e-1 ?_warm=true; _tenths uint4 @8.0 *-1e-1 ?_warm=false
        temperature uint7 @9.0 +_tenths °C ?_warm=true; temperature uint7 @9.0 *-1 +_tenths °C ?_warm=false
        mode uint3 @11.0 0:schedule 1:manual 2:off 3:eco 4:comfort 5:boost
        last_mode uint4 @11.4 0:schedule 1:manual 2:off 3:eco 4:comfort 5:boost
        needs_temperature bit @12.5; restarted bit @12.4; fault_code uint3 @12.1; door_open bit @12.0
        """

    static let models: [Model] = [
        Model(
            .bot, codes: "H", names: ["WoHand"],
            old: """
                switch_mode bit @1.7; power_on uint1 @1.6 0:true 1:false ?switch_mode=true
                power_on uint1 @1.6 0:false 1:false ?switch_mode=false
                """, oldFrom: 3),
        Model(.contact, codes: "dD", names: ["WoContact"], contact, from: 13, old: oldContact, oldFrom: 9),
        Model(
            .motion, codes: "sS", names: ["WoPresence"], "motion bit @7.6; light bit @7.5", from: 8,
            old: "motion bit @1.6; light bit @5.1", oldFrom: 6),
        Model(.curtain, codes: "cC{[", names: ["WoCurtain"], curtain, from: 11, old: oldCurtain, oldFrom: 6),
        Model(.meter, codes: "TtiI", names: ["WoSensorTH"], from: 11, climate: 8, oldFrom: 6, oldClimate: 3),
        Model(.outdoorMeter, codes: "wW", names: ["WoIOSensorTH"], from: 11, climate: 8, oldFrom: 6, oldClimate: 3),
        Model(
            .meterPro, codes: "4", bytes: [0x14], names: ["WoTHP", "WoSensorTHP"], from: 11, climate: 8, oldFrom: 6,
            oldClimate: 3),
        Model(
            .meterProCO2, codes: "5", bytes: [0x15], names: ["WoTHPc"], "co2 uint16 @13 ppm ?size≥15", from: 11,
            climate: 8, oldFrom: 6, oldClimate: 3),
        Model(
            .hub2, codes: "vV", names: ["WoHub2"], "light_level uint5 @12.0", from: 16, climate: 13, hasCharge: false),
        Model(
            .hub3, endings: [0x10B940],
            """
            network_state uint2 @12.6; sensor_inserted uint1 @12.5 0:true 1:false; light_level uint4 @12.0
            illuminance uint4 @12.0 1:0 2:50 3:90 4:205 5:317 6:510 7:610 8:707 9:801 10:1023 11:1023 12:1023 13:1023 \
            14:1023 15:1023 lx
            temperature_alarm uint2 @13.6 bool; humidity_alarm uint2 @13.4 bool; motion bit @16.7
            """, from: 17, climate: 13, hasCharge: false),
        Model(.hubMini, codes: "%", bytes: [0x05], from: 16, climate: 13, hasCharge: false),
        Model(
            .plug, codes: "gGjJ", names: ["WoPlug"],
            """
            power_on bit @7.7; wifi_signal uint8 @9 *-1 dBm; _skip uint1 @10; power uint15 *1e-1 W
            """, from: 12, hasCharge: false),
        Model(.plugEU, codes: "?", bytes: [0x1F], "power_on bit @7.7; power uint16 @10 W", from: 12, hasCharge: false),
        Model(.relay1, codes: ";", bytes: [0x1B], "power_on bit @7.7", from: 8, hasCharge: false),
        Model(
            .relay1PM, codes: "<", bytes: [0x1C], "power_on bit @7.7; power uint16 @10 W", from: 12, hasCharge: false),
        Model(
            .relay2PM, codes: "=", bytes: [0x1D],
            """
            power_on_1 bit @7.7; power_1 uint16 @10 W; power_on_2 bit @7.6; power_2 uint16 @12 W
            """, from: 14, hasCharge: false),
        Model(
            .garageDoor, codes: ">", bytes: [0x1E], "power_on bit @7.7; door_open uint1 @7.5 0:true 1:false", from: 8,
            hasCharge: false),
        Model(
            .bulb, codes: "uU", names: ["WoBulb"],
            """
            power_on bit @7.7; brightness uint7 @7.0 %; color_mode uint3 @8.0; speed uint7 @9.0
            """, from: 11, hasCharge: false),
        Model(
            .lightStrip, codes: "rR", endings: [0x10D0B5, 0x10D0B6], names: ["WoStrip"], light, from: 9,
            hasCharge: false),
        Model(
            .floorLamp, endings: [0x10D0B0, 0x10D0B1], light + "\ncolor_temperature uint16 @16 K", from: 18,
            hasCharge: false),
        Model(
            .colorLight, endings: [0x10D0B3, 0x10D0B4, 0x10D0B7, 0x11BEF8], light + "\ncolor_temperature uint16 @10 K",
            from: 12,
            hasCharge: false),
        Model(
            .colorCeilingLight, endings: [0x11BB10],
            light + """

                color_temperature uint16 @10 K; main_power_on bit @13.7; main_brightness uint7 @13.0 %
                """, from: 14, hasCharge: false),
        Model(
            .candleWarmer, endings: [0x1122B8],
            """
            power_on bit @7.7; brightness uint7 @7.0 %; network_state uint3 @8.4
            """, from: 9, hasCharge: false),
        Model(
            .ceilingLight, codes: "qQnN", names: ["WoCeiling"],
            """
            power_on bit @10.7; brightness uint7 @7.0 %; color_temperature uint16 @8 K
            """, from: 11, hasCharge: false),
        Model(
            .humidifier, codes: "eE", names: ["WoHumi"], old: "power_on uint8 @1 bool; level uint8 @4 %", oldFrom: 5,
            hasCharge: false),
        Model(.evaporativeHumidifier, codes: "#", bytes: [0x03], humidifier, from: 17, hasCharge: false),
        Model(.lock, codes: "oO", names: ["WoLock"], lock, from: 9),
        Model(.lockLite, codes: "-", bytes: [0x0D], endings: [0x116908], lite, from: 9),
        Model(
            .lockPro, codes: "$", bytes: [0x04], endings: [0x10FF90], names: ["WoLockPro"], lockPro, from: 12,
            hasCharge: false),
        Model(.lockUltra, endings: [0x10A5B8, 0x116909, 0x119FB8], lockUltra, from: 12, hasCharge: false),
        Model(
            .blindTilt, codes: "xX", names: ["WoBlindTilt"],
            """
            calibrated bit @7.0; moving bit @8.7; tilt uint7 @8.0 ~0:0,100:100 %
            opening_percentage uint7 @8.0 ~0:0,50:100,100:0 %; direction uint1 @7.0 0:down 1:down ?tilt<50
            direction uint1 @7.0 0:up 1:up ?tilt≥50; light_level uint4 @9.4
            """, from: 10),
        Model(
            .rollerShade, codes: ",", bytes: [0x0C],
            """
            calibrated bit @8.7; position uint7 @8.0 ~0:100,100:0 %; moving uint2 @7.1 bool; light_level uint4 @9.4
            device_chain uint4 @9.0
            """, from: 10),
        Model(
            .leak, codes: "&", bytes: [0x06], names: ["Leak Detector"],
            """
            moisture_detected bit @8.0; tamper bit @8.1; battery uint7 @7.0 %; battery_low bit @7.7
            """, from: 9, hasCharge: false),
        Model(.keypad, codes: "yY", names: ["WoKeypad"], "attempts uint8 @6", from: 7),
        Model(.keypadVision, endings: [0x110378], keypad + "\nmotion_level uint2 @13.0", from: 14, hasCharge: false),
        Model(
            .keypadVisionPro, endings: [0x115198],
            keypad + """

                radar_level uint2 @13.0; radar_distance uint2 @13.2
                """, from: 14, hasCharge: false),
        Model(.remote, codes: "bB", names: ["WoRemote"]),
        Model(
            .universalRemote, codes: "'", bytes: [0x07], "battery_charging bit @7.7; battery uint7 @7.0 %", from: 8,
            hasCharge: false),
        Model(.fan, codes: "~^", fan, from: 10, hasCharge: false),
        Model(.standingFan, endings: [0x110760], fan + "\nbattery_charging bit @8.7", from: 10, hasCharge: false),
        Model(
            .fanPro, endings: [0x11B340],
            """
            battery_charging bit @7.7; battery uint7 @7.0 %; power_on bit @8.7; oscillating_horizontal bit @8.1
            oscillating_vertical bit @8.0; speed uint7 @9.0; mode uint3 @8.4 1:normal 2:natural 3:sleep 4:hurricane
            night_light bit @8.2
            """, from: 10, hasCharge: false),
        Model(
            .vacuum, codes: ".zZ3", bytes: [0x0F, 0x13], endings: [0x10FBA8, 0x10E050], vacuum, from: 14,
            hasCharge: false, isVacuum: true),
        Model(.smallVacuum, codes: "}](", bytes: [0x08], smallVacuum, from: 9, hasCharge: false),
        Model(.airPurifier, codes: "*+78", bytes: [0x0A, 0x0B, 0x17, 0x18], purifier, from: 14, hasCharge: false),
        Model(
            .climatePanel, endings: [0x10F3D8],
            """
            power_on bit @7.7; battery uint7 @7.0 %; temperature_alarm uint2 @8.4; humidity_alarm uint2 @8.6
            motion bit @15.7; light uint2 @15.1 0:false 1:false 2:true 3:false
            """, from: 16, climate: 8, hasCharge: false),
        Model(.radiatorThermostat, endings: [0x113640], radiator, from: 13, hasCharge: false),
        Model(
            .presence, endings: [0x10CCC8],
            """
            adaptive bit @7.7; motion bit @7.6; duration uint16 @8 s; trigger uint8 @10; led bit @11.7
            battery_range uint2 @7.2 0:<10% 1:10-19% 2:20-59% 3:>=60%; light_level uint5 @11.0
            """, from: 12),
        Model(
            .artFrame, endings: [0x113E10],
            """
            battery_charging bit @7.7; battery uint7 @7.0 %; image_index uint8 @8; display_size uint4 @9.4
            display_mode uint1 @9.3; last_network_status uint1 @9.2
            """, from: 10, hasCharge: false),
        Model(.weatherStation, endings: [0x1053B0], "battery uint7 @7.0 %", from: 11, climate: 8),
    ]

    /// The service data says the model, or else the user or the device's name.
    private static func model(of data: AdvertisedData, service: [UInt8]?, chosen: SwitchBotModel?) -> Model? {
        if let head = service?.first, let model = models.first(where: { $0.codes.contains(head & 0x7F) }) {
            return model
        }
        if let chosen, let model = models.first(where: { $0.model == chosen }) { return model }
        if let service, service.count > 5 {
            for end in [service.suffix(4), service.dropLast().suffix(4)] where end.count == 4 {
                let ending = Array(end.dropFirst())
                let isEnding = (end.first ?? 2) < 2
                if isEnding, let model = models.first(where: { $0.endings.contains(ending) }) { return model }
            }
        }
        guard let name = data.name else { return nil }
        return models.first { $0.names.contains(name) }
    }

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        let service = services.first { input.data.serviceData[$0] != nil }
        let old = service.flatMap { input.data.serviceData[$0] }
        guard let model = model(of: input.data, service: old, chosen: input.model) else { return nil }
        let fresh = values(of: model, new: input.data.manufacturerData[companies[0]] ?? [])
        // Each value comes from one source only: the new one, if it has values.
        switch input.source {
        case .company(companies[0]): return fresh.isEmpty ? nil : .sensor(SensorPacket(.switchbot, fresh))
        case .service where input.source == service.map({ .service($0) }):
            guard let old else { return nil }
            let own = charge(of: model, old: old) + values(of: model, old: old)
            var all = own.filter { value in
                fresh.isEmpty
                    || ["battery", "calibrated"].contains(value.field)
                        && !fresh.contains { $0.field == value.field }
            }
            if old.dropFirst().allSatisfy({ $0 == 0 }) {
                for index in all.indices { (all[index].value, all[index].state) = (nil, "unknown") }
            }
            return .sensor(SensorPacket(.switchbot, all))
        default: return nil
        }
    }

    /// Returns the charge and, of a curtain, whether it is calibrated.
    private static func charge(of model: Model, old: [UInt8]) -> [Measurement] {
        let calibrated =
            model.model == .curtain && old.count >= 2
            ? [SensorFields.flag("calibrated", value: old[1] & 0x40 != 0)] : []
        guard model.hasCharge, old.count >= (model.model == .motion ? 6 : 3) else { return calibrated }
        return calibrated + [Measurement(field: "battery", value: .integer(Int64(old[2] & 0x7F)), unit: "%")]
    }

    private static func values(of model: Model, new: [UInt8]) -> [Measurement] {
        guard model.minimum > 0, new.count >= model.minimum else { return [] }
        var values = model.climate.map { climate(new[$0..<($0 + 3)]) } ?? []
        values += (try? SensorFields.decode(model.new, bytes: new, endian: .big)) ?? []
        if model.isVacuum {
            let number = String(Int(new[10]) << 8 | Int(new[9]))
            let patch = String(repeating: "0", count: max(0, 3 - number.utf8.count)) + number
            let version = "\(new[8] & 0x0F).\(new[8] >> 4).\(patch)"
            values.append(Measurement(field: "firmware_version", value: .text(version)))
        }
        return values
    }

    private static func values(of model: Model, old: [UInt8]) -> [Measurement] {
        guard model.oldMinimum > 0, old.count >= model.oldMinimum else { return [] }
        return (model.oldClimate.map { climate(old[$0..<($0 + 3)]) } ?? [])
            + ((try? SensorFields.decode(model.old, bytes: old, endian: .big)) ?? [])
    }

    /// Tenths of a degree; a sign, of which 1 is plus, and degrees; percent. A meter without a value sends zeros, and a hub or
    /// humidifier without a meter sends ones: a humidity that can't be takes its temperature along.
    private static func climate(_ bytes: ArraySlice<UInt8>) -> [Measurement] {
        let bytes = Array(bytes)
        let tenths = Int64(bytes[1] & 0x7F) * 10 + Int64(bytes[0] & 0x0F)
        let humidity = Int64(bytes[2] & 0x7F)
        let isUnknown = tenths == 0 && humidity == 0 || humidity > 100
        let temperature = Scale(decimal: -1).value(of: bytes[1] & 0x80 == 0 ? -tenths : tenths)
        return [
            Measurement(
                field: "temperature", isUnknown ? .state("unknown") : .value(temperature), unit: "°C", decimals: 1),
            Measurement(field: "humidity", isUnknown ? .state("unknown") : .value(.integer(humidity)), unit: "%"),
        ]
    }
}

/// A model of SwitchBot's devices. The raw value is its name in the configuration, for a device that blekeep hears without its
/// service data, as in passive scans.
public enum SwitchBotModel: String, Sendable, CaseIterable {
    case bot, contact, motion, curtain, meter
    case outdoorMeter = "outdoor_meter"
    case meterPro = "meter_pro"
    case meterProCO2 = "meter_pro_co2"
    case hub2, hub3
    case hubMini = "hub_mini"
    case plug
    case plugEU = "plug_eu"
    case relay1 = "relay_1"
    case relay1PM = "relay_1pm"
    case relay2PM = "relay_2pm"
    case garageDoor = "garage_door"
    case bulb
    case lightStrip = "light_strip"
    case floorLamp = "floor_lamp"
    case colorLight = "color_light"
    case colorCeilingLight = "color_ceiling_light"
    case candleWarmer = "candle_warmer"
    case ceilingLight = "ceiling_light"
    case humidifier
    case evaporativeHumidifier = "evaporative_humidifier"
    case lock
    case lockLite = "lock_lite"
    case lockPro = "lock_pro"
    case lockUltra = "lock_ultra"
    case blindTilt = "blind_tilt"
    case rollerShade = "roller_shade"
    case leak, keypad
    case keypadVision = "keypad_vision"
    case keypadVisionPro = "keypad_vision_pro"
    case remote
    case universalRemote = "universal_remote"
    case fan
    case standingFan = "standing_fan"
    case fanPro = "fan_pro"
    case vacuum
    case smallVacuum = "small_vacuum"
    case airPurifier = "air_purifier"
    case climatePanel = "climate_panel"
    case radiatorThermostat = "radiator_thermostat"
    case presence
    case artFrame = "art_frame"
    case weatherStation = "weather_station"
}
