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
        default: return []
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
            let events = ["press", "double_press", "long_press"]
            guard Product.oneButton.contains(product), events.indices.contains(kind) else { return [] }
            return [Measurement(field: "button", value: .text(events[kind]))]
        }
        return buttonNames.map { Measurement(field: $0, value: .text(event)) }
    }

    private var buttonNames: [String] {
        let byte = content.first ?? 0xFF
        switch id >> 8 {
        case 0x4A where product == Product.twoButtons:
            return byte == 0 ? ["button_left"] : byte == 1 ? ["button_right"] : []
        case 0x4E where product == Product.twoButtonBits:
            guard byte < 4 else { return [] }
            return (byte & 1 != 0 ? ["button_left"] : []) + (byte & 2 != 0 ? ["button_right"] : [])
        case 0x56 where Product.fourButtons.contains(product):
            let names = ["left", "mid_left", "mid_right", "right"]
            return (1...4).contains(byte) ? ["button_\(names[Int(byte) - 1])"] : []
        default: return ["button"]
        }
    }
}
