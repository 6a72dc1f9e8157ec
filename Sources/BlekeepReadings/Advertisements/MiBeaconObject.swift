/// An object of a MiBeacon packet. `MiBeaconTable` says what it means; for some, this depends on the product.
struct MiBeaconObject {
    let id: UInt16
    let product: UInt16
    let content: ArraySlice<UInt8>

    init(id: UInt16, product: UInt16, _ content: ArraySlice<UInt8>) {
        self.id = id
        self.product = product
        self.content = content
    }

    /// - Throws: `short` or `long` for an object of another length.
    func values() throws(DecodeError) -> [Measurement] {
        guard let row = MiBeaconTable.table[id] else { return [] }
        switch row[1] {
        case "fields": return try SensorFields.decode(row[2], bytes: content)
        case "true": return [SensorFields.flag(String(row[2]), value: true)]
        case "false": return [SensorFields.flag(String(row[2]), value: false)]
        case "motion":
            return [SensorFields.flag("motion", value: true)] + (try SensorFields.decode(row[2], bytes: content))
        case "idle": return try idle(row[2])
        case "opening": return opening(row[2])
        case "button": return try button(String(row[2]))
        case "light": return try light()
        case "leak": return try leak(row[2])
        case "water": return water(row[2])
        case "illuminance": return try illuminance()
        case "inverse": return content.count == 1 ? [SensorFields.flag(String(row[2]), value: content.first == 0)] : []
        case "body": return try bodyTemperature()
        case "scale200", "scale400": return try scale(row[1] == "scale400")
        case "charging": return word("charging_state", of: ["charging", "not_charging", "full"])
        case "toothbrush", "brushing": return toothbrush(row[1] == "brushing")
        case "close":
            return product == Product.presence ? [SensorFields.flag("occupancy_close_range", value: first > 0)] : []
        case "single": return first == 1 ? [Measurement(field: "button", value: .text("press"))] : []
        case "removed":
            return first == 1
                ? [
                    SensorFields.flag("opening", value: true),
                    SensorFields.flag("device_forcibly_removed", value: true),
                ] : []
        default: return lock(row[1])
        }
    }

    /// Products whose objects mean something else.
    private enum Product {
        /// MJYD02YL, a night light.
        static let nightLight: UInt16 = 0x07F6
        /// MCCGQ02HL, a door sensor.
        static let door: UInt16 = 0x098B
        /// RTCGQ02LM, a motion sensor.
        static let motion: UInt16 = 0x0A8D
        /// CGPR1, Qingping's motion sensor.
        static let qingpingMotion: UInt16 = 0x0A83
        /// YLAI003, JTYJGD03MI, SJWS01LM and RTCGQ02LM have one button.
        static let oneButton: Set<UInt16> = [0x07BF, 0x0997, 0x0863, 0x0A8D]
        /// XMWS01XS counts its two buttons from 0; XMWXKG01YL has a bit for each.
        static let twoButtons: UInt16 = 0x5968
        static let twoButtonBits: UInt16 = 0x1949
        /// SJWS02LM, a leak sensor with two contacts.
        static let leak: UInt16 = 0x6375
        /// KS1 and KS1BP have four buttons.
        static let fourButtons: Set<UInt16> = [0x3A61, 0x3E17]
        /// KS2BB and AFWXKG220000 have one button, in the objects of those with four.
        static let oneOfFour: Set<UInt16> = [0x520B, 0x78A3]
        /// K9BB-1BTN.
        static let wallSwitch: UInt16 = 0x1C10
        /// ES5BB.
        static let presence: UInt16 = 0x6A0F
        /// ZNMS17LM, whose messages tell the lock, the child lock and the anti-lock apart.
        static let tripleLock: UInt16 = 0x069F
        /// DSL-C08.
        static let handleLock: UInt16 = 0x0380
        /// The Mi Smart Safe Box.
        static let safe: UInt16 = 0x09B0
    }

    /// The first byte; 0 without any.
    private var first: UInt8 { content.first ?? 0 }

    /// - Returns: nothing for an object of another length.
    private func word(_ field: String, of words: [String]) -> [Measurement] {
        guard content.count == 1 else { return [] }
        let word = words.indices.contains(Int(first)) ? FieldValue.value(.text(words[Int(first)])) : .state("unknown")
        return [Measurement(field: field, word, unit: nil)]
    }

    // MARK: People

    /// Computed from two temperatures. The formula approximates that of Xiaomi's app between 36.5 and 37.8 °C.
    private func bodyTemperature() throws(DecodeError) -> [Measurement] {
        var reader = ByteReader(Array(content))
        let upper = Double(try reader.signed(bits: 16)) / 100
        let lower = Double(try reader.signed(bits: 16)) / 100
        let charge = try reader.unsigned(bits: 8)
        try reader.finish()
        let body = 3.71934e-11 * exponential(0.69314 * upper) - 1.02801e-8 * exponential(0.53871 * lower) + 36.413
        guard body.isFinite, abs(body) < 1000 else { return [] }
        return [
            Measurement(field: "temperature", value: .number(body), unit: "°C", decimals: 2),
            Measurement(field: "battery", value: .integer(Int64(charge)), unit: "%"),
        ]
    }

    /// The scales S200, and S400 with its three packets of a weighing.
    private func scale(_ isComposition: Bool) throws(DecodeError) -> [Measurement] {
        var reader = ByteReader(Array(content))
        var values = [Measurement(field: "profile_id", value: .integer(Int64(try reader.unsigned(bits: 8))))]
        let data = try reader.unsigned(bits: 32)
        _ = try reader.unsigned(bits: 32)
        try reader.finish()
        guard isComposition else {
            guard data > 0 else { return [] }
            let mass = Scale(decimal: -2).value(of: Int64(data))
            return [
                Measurement(field: "mass", value: mass, unit: "kg", decimals: 2),
                SensorFields.flag("stabilized", value: true),
            ] + values
        }
        // The S400 Pro has all bits for no weight.
        let mass = data & 0x7FF == 0x7FF ? 0 : Int64(data & 0x7FF)
        let pulse = Int64(data >> 11 & 0x7F)
        let impedance = Int64(data >> 18)
        guard mass != 0 || pulse != 0 || impedance != 0 else {
            return values + [SensorFields.flag("stabilized", value: false)]
        }
        func tenths(_ field: String, _ number: Int64, _ unit: String) -> Measurement {
            Measurement(field: field, value: Scale(decimal: -1).value(of: number), unit: unit, decimals: 1)
        }
        if mass != 0 { values.append(tenths("mass", mass, "kg")) }
        if 1..<127 ~= pulse {
            values.append(Measurement(field: "heart_rate", value: .integer(pulse + 50), unit: "bpm"))
        }
        let isLast = mass == 0 && pulse == 0
        if impedance != 0 { values.append(tenths(isLast ? "impedance_high" : "impedance_low", impedance, "Ω")) }
        return values + [SensorFields.flag("stabilized", value: isLast || impedance == 0)]
    }

    private func toothbrush(_ isBrushing: Bool) -> [Measurement] {
        guard let start = content.first else { return [] }
        if isBrushing {
            guard content.count == 5 || content.count == 6 else { return [] }
            let score = content.count == 6 ? content.last.map { Int64($0) } : nil
            return (start < 2 ? [SensorFields.flag("toothbrush", value: start == 0)] : [])
                + (score.map { [Measurement(field: "score", value: .integer($0))] } ?? [])
        }
        let more = content.dropFirst().first.map { Int64($0) }
        return [SensorFields.flag("toothbrush", value: start == 0)]
            + (more.map { [Measurement(field: start == 0 ? "counter" : "score", value: .integer($0))] } ?? [])
    }

    // MARK: Locks

    private func lock(_ kind: Substring) -> [Measurement] {
        switch kind {
        case "fingerprint": fingerprint()
        case "door": door()
        case "lock": lockAction()
        case "armed" where !content.isEmpty:
            [SensorFields.flag("armed", value: first ^ 1 != 0)]
                + (product == Product.handleLock
                    ? [
                        SensorFields.flag("unlocked", value: first ^ 1 != 0),
                        Measurement(field: "lock", value: .text("lock_outside_the_door")),
                        Measurement(field: "lock_method", value: .text("manual")),
                    ] : [])
        case "attribute" where product == Product.handleLock && content.count == 1:
            [
                SensorFields.flag("unlocked", value: first & 1 == 0),
                SensorFields.flag("childlock", value: first >> 3 ^ 1 != 0),
            ]
        case "safe" where product == Product.safe && content.count == 1:
            [SensorFields.flag("door", value: first == 1)]
        default: []
        }
    }

    private func fingerprint() -> [Measurement] {
        let results = [
            "match_successful", "match_failed", "timeout", "low_quality_too_light_fuzzy", "insufficient_area",
            "skin_is_too_dry", "skin_is_too_wet",
        ]
        guard content.count == 5, let match = content.last else { return [] }
        let key = content.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let name = keyName(key) ?? "\(key)"
        return [Measurement(field: "key_id", value: .text(name))]
            + (results.indices.contains(Int(match))
                ? [Measurement(field: "fingerprint", value: .text(results[Int(match)]))] : [])
    }

    private func keyName(_ key: UInt32) -> String? {
        switch key {
        case 0: "administrator"
        case 0xFFFF_FFFF: "unknown operator"
        case 0xDEAD_BEEF, 0xEFBE_ADDE: "invalid operator"
        default: nil
        }
    }

    private func door() -> [Measurement] {
        guard let event = content.first else { return [] }
        func flags(_ door: Bool, _ field: String, _ value: Bool) -> [Measurement] {
            [SensorFields.flag("door", value: door), SensorFields.flag(field, value: value)]
        }
        return switch event {
        case 0: flags(true, "door_stuck", false) + [SensorFields.flag("knock_on_the_door", value: false)]
        case 1: flags(false, "door_left_open", false) + [SensorFields.flag("pry_the_door", value: false)]
        case 2: flags(true, "door_left_open", true)
        case 3: flags(false, "knock_on_the_door", true)
        case 4: flags(true, "pry_the_door", true)
        case 5: flags(false, "door_stuck", true)
        default: []
        }
    }

    private static let lockActions: [UInt8: (isOpen: Bool, lock: String, action: String)] = [
        0: (true, "unlocked", "unlock_outside_the_door"), 1: (false, "unlocked", "locked"),
        2: (false, "antilock", "turn_on_antilock"), 3: (true, "antilock", "release_the_antilock"),
        4: (true, "unlocked", "unlock_inside_the_door"), 5: (false, "unlocked", "lock_inside_the_door"),
        6: (false, "childlock", "turn_on_child_lock"), 7: (true, "childlock", "turn_off_child_lock"),
        8: (false, "unlocked", "lock_outside_the_door"), 15: (true, "unlocked", "abnormal"),
    ]
    private static let lockMethods: [UInt8: String] = [
        0: "bluetooth", 1: "password", 2: "biometrics", 3: "key_method", 4: "turntable_method", 5: "nfc_method",
        6: "one_time_password", 7: "two_step_verification", 8: "coercion_method", 9: "homekit", 10: "manual",
        11: "automatic", 15: "abnormal",
    ]
    private static let lockErrors: [UInt32: String] = [
        0xC0DE_0000: "frequent_unlocking_with_incorrect_password",
        0xC0DE_0001: "frequent_unlocking_with_wrong_fingerprints",
        0xC0DE_0002: "operation_timeout_password_input_timeout", 0xC0DE_0003: "lock_picking",
        0xC0DE_0004: "reset_button_is_pressed", 0xC0DE_0005: "the_wrong_key_is_frequently_unlocked",
        0xC0DE_0006: "foreign_body_in_the_keyhole", 0xC0DE_0007: "the_key_has_not_been_taken_out",
        0xC0DE_0008: "error_nfc_frequently_unlocks", 0xC0DE_0009: "timeout_is_not_locked_as_required",
        0xC0DE_000A: "failure_to_unlock_frequently_in_multiple_ways",
        0xC0DE_000B: "unlocking_the_face_frequently_fails", 0xC0DE_000C: "failure_to_unlock_the_vein_frequently",
        0xC0DE_000D: "hijacking_alarm", 0xC0DE_000E: "unlock_inside_the_door_after_arming",
        0xC0DE_000F: "palmprints_frequently_fail_to_unlock", 0xC0DE_0010: "the_safe_was_moved",
        0xC0DE_1000: "the_battery_level_is_less_than_10_percent",
        0xC0DE_1001: "the_battery_level_is_less_than_5_percent",
        0xC0DE_1002: "the_fingerprint_sensor_is_abnormal", 0xC0DE_1003: "the_accessory_battery_is_low",
        0xC0DE_1004: "mechanical_failure", 0xC0DE_1005: "the_lock_sensor_is_faulty",
    ]
    /// The kinds of keys by the number's upper half, from 0x8000.
    private static let keyKinds = [
        "Fingerprint", "Fingerprint", "Password", "Keys", "NFC", "Two-step verification", "Human face", "Finger veins",
        "Palm print",
    ]

    private func lockAction() -> [Measurement] {
        guard content.count == 9, let action = Self.lockActions[first & 0x0F],
            let method = Self.lockMethods[first >> 4]
        else { return [] }
        let key = content.dropFirst().prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let error = Self.lockErrors[key]
        var name = keyName(key)
        if name == nil, error == nil {
            let kind = Int(key >> 16) - 0x8000
            let kinds = Self.keyKinds
            name =
                key <= 0x7FFF_FFFF
                ? "Bluetooth key \(key)"
                : kinds.indices.contains(kind) ? "\(kinds[kind]) key id \(key & 0xFFFF)" : "key id \(key & 0xFFFF)"
        }
        let lock = product == Product.tripleLock ? action.lock : "unlocked"
        return [SensorFields.flag(lock, value: action.isOpen)]
            + (name.map { [Measurement(field: "key_id", value: .text($0))] } ?? [])
            + [
                Measurement(field: "lock", value: .text(action.action)),
                Measurement(field: "lock_method", value: .text(method)),
            ] + (error.map { [Measurement(field: "error", value: .text($0))] } ?? [])
    }

    // MARK: Doors, light and motion

    /// Xiaomi's app regards up to 30 s without motion as motion.
    private func idle(_ notation: Substring) throws(DecodeError) -> [Measurement] {
        let values = try SensorFields.decode(notation, bytes: content)
        guard case .integer(let seconds)? = values.first?.value else { return values }
        return [SensorFields.flag("motion", value: seconds <= 30)] + values
    }

    /// - Parameter codes: the bytes for open, closed, and, if the sensor knows that, open for too long; `-` for none.
    private func opening(_ codes: Substring) -> [Measurement] {
        let codes = codes.split(separator: " ").map { UInt8($0) }
        guard content.count == 1, let byte = content.first, let state = codes.firstIndex(of: byte) else { return [] }
        let isOpen = SensorFields.flag("opening", value: state != 1)
        return state == 0 || codes.count == 2
            ? [isOpen] : [isOpen, SensorFields.flag("door_left_open", value: state == 2)]
    }

    /// Motion, and the light then.
    private func light() throws(DecodeError) -> [Measurement] {
        let values = try SensorFields.decode("illuminance uint24 lx", bytes: content)
        let motion = SensorFields.flag("motion", value: true)
        guard case .integer(let light)? = values.first?.value else { return [motion] }
        return switch product {
        case Product.qingpingMotion: [motion] + values
        case Product.nightLight, Product.motion: [motion, SensorFields.flag("light", value: light >= 100)]
        default: [motion]
        }
    }

    private func illuminance() throws(DecodeError) -> [Measurement] {
        let values = try SensorFields.decode("illuminance uint24 lx", bytes: content)
        guard product == Product.nightLight || product == Product.door else { return values }
        return [SensorFields.flag("light", value: values.first?.value == .integer(100))]
    }

    // MARK: Leaks

    private func leak(_ notation: Substring) throws(DecodeError) -> [Measurement] {
        var values = try SensorFields.decode(notation, bytes: content)
        if product == Product.leak { for index in values.indices { values[index].field = "bottom_submersion" } }
        return values
    }

    /// The beginning and the end of each alarm, in turn.
    private func water(_ fields: Substring) -> [Measurement] {
        let fields = fields.split(separator: " ")
        guard product == Product.leak, content.count == 1, let event = content.first.map({ Int($0) }),
            fields.indices.contains(event / 2)
        else { return [] }
        return [SensorFields.flag(String(fields[event / 2]), value: event % 2 == 0)]
    }

    // MARK: Buttons

    /// - Parameter event: what happened; empty when the last byte says it.
    private func button(_ event: String) throws(DecodeError) -> [Measurement] {
        guard !event.isEmpty else {
            var reader = ByteReader(Array(content))
            _ = try reader.bytes(2)
            let kind = Int(try reader.unsigned(bits: 8))
            try reader.finish()
            return press(content[content.startIndex], content[content.startIndex + 1], kind: kind)
        }
        if id == 0x4E0C, product == Product.wallSwitch {
            guard let press = [1: "press", 8: "long_press", 15: "double_press"][first] else { return [] }
            return [Measurement(field: "button", value: .text(press))]
        }
        return buttonNames.map { Measurement(field: $0, value: .text(event)) }
    }

    /// The buttons of remote controls, by product.
    private static let remotes: [UInt16: [String]] = [
        0x0153: ["on", "off", "brightness", "plus", "M", "min"],
        0x068E: ["fan", "light", "wind_speed", "color_temperature", "wind_mode", "brightness"],
        0x04E6: [
            "swing", "power", "timer_60_minutes", "increase_wind_speed", "timer_30_minutes", "decrease_wind_speed",
        ],
        0x03BF: ["stop", "air_exchange", "fan", "increase_speed", "decrease_speed", "dry", "light", "swing", "heat"],
    ]
    /// The buttons of switches that have a bit or a number for each, by product: K9B with one, two and three.
    private static let switches: [UInt16: [[String]]] = [
        0x1568: [[""]],
        0x1569: [["_left"], ["_right"], ["_left", "_right"]],
        0x0DFD: [
            ["_left"], ["_middle"], ["_right"], ["_left", "_middle"], ["_middle", "_right"], ["_left", "_right"],
            ["_left", "_middle", "_right"],
        ],
    ]

    /// All names that buttons can have.
    static let buttonFields =
        ["button"]
        + (remotes.values.joined() + ["left", "middle", "right", "mid_left", "mid_right"]).map { "button_\($0)" }

    /// An object 0x1001.
    private func press(_ button: UInt8, _ number: UInt8, kind: Int) -> [Measurement] {
        let presses = ["press", "double_press", "long_press"]
        func text(_ field: String, _ word: String) -> Measurement { Measurement(field: field, value: .text(word)) }
        if Product.oneButton.contains(product) {
            return presses.indices.contains(kind) ? [text("button", presses[kind])] : []
        }
        switch product {
        case 0x04E1:
            return button < 2 ? [text("cube", button == 0 ? "rotate_right" : "rotate_left")] : []
        case 0x03B6: return dimmer(button, number, kind: kind)
        default: break
        }
        if let names = Self.remotes[product] {
            let words = [0: "press", 1: "double_press", 2: "long_press", 5: "press", 6: "long_press"]
            guard names.indices.contains(Int(button)), let word = words[kind] else { return [] }
            let power = product == 0x0153 && button < 2 ? [SensorFields.flag("power", value: button == 0)] : []
            return power + [text("button_\(names[Int(button)])", word)]
        }
        if let buttons = Self.switches[product] {
            let words = ["press", "long_press", "double_press"]
            guard buttons.indices.contains(Int(button)), words.indices.contains(kind) else { return [] }
            return buttons[Int(button)].map { text("button\($0)", words[kind]) }
        }
        return []
    }

    /// A dimmer, which is pressed, held or turned. The steps are how often, how many seconds, or how far.
    private func dimmer(_ button: UInt8, _ number: UInt8, kind: Int) -> [Measurement] {
        let event: (word: String, steps: UInt8)?
        switch (kind, button) {
        case (3, 0): event = ("press", number)
        case (3, 1): event = ("long_press", number)
        case (4, 0): event = number <= 127 ? ("rotate_right", number) : ("rotate_left", 0 &- number)
        case (4, _): event = button <= 127 ? ("rotate_right_pressed", button) : ("rotate_left_pressed", 0 &- button)
        default: event = nil
        }
        guard let event else { return [] }
        return [
            Measurement(field: "dimmer", value: .text(event.word)),
            Measurement(field: "dimmer_steps", value: .integer(Int64(event.steps))),
        ]
    }

    private var buttonNames: [String] {
        let byte = content.first ?? 0xFF
        switch id >> 8 {
        case 0x4A where product == Product.twoButtons:
            return byte == 0 ? ["button_left"] : byte == 1 ? ["button_right"] : []
        case 0x4E where product == Product.twoButtonBits:
            guard byte < 4 else { return [] }
            return (byte & 1 != 0 ? ["button_left"] : []) + (byte & 2 != 0 ? ["button_right"] : [])
        case 0x4E where product == Product.wallSwitch: return []
        case 0x56 where Product.oneOfFour.contains(product): return ["button"]
        case 0x56 where Product.fourButtons.contains(product):
            let names = ["left", "mid_left", "mid_right", "right"]
            return (1...4).contains(byte) ? ["button_\(names[Int(byte) - 1])"] : []
        default: return ["button"]
        }
    }
}
