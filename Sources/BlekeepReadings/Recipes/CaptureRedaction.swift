extension Capture {
    /// Returns the capture without what says whose device it is: the address, the digits of the name, or all of it, serial
    /// numbers, other text, and the user's secret, wherever they are in the bytes. Lengths and checks stay right.
    ///
    /// - Parameters:
    ///   - recipe: the recipe that asked the device. What it recognizes and reads stays.
    ///   - secret: the user's secret of the device.
    ///   - keepsName: whether only the digits of a name are replaced that no recipe recognizes.
    package func redacted(for recipe: Recipe?, secret: [UInt8]? = nil, keepsName: Bool = false) -> Capture {
        var redaction = CaptureRedaction(self, recipe: recipe, secret: secret, keepsName: keepsName)
        redaction.replaceTokens()
        redaction.replaceText()
        return redaction.result
    }
}

/// How a capture is made anonymous.
private struct CaptureRedaction {
    private(set) var result: Capture
    private let original: Capture
    private let recipe: Recipe?
    private var tokens: [Token] = []
    /// What each characteristic notified, one notification behind the other, and each value that was read.
    private var streams: [Stream] = []
    /// The whole answers in these, with the checks that they must have.
    private var answers: [(rule: FrameRule, places: Stream)] = []

    /// The places of bytes in the exchanges.
    private typealias Stream = [(exchange: Int, offset: Int)]

    /// Bytes to look for, and as many bytes to write instead.
    private struct Token {
        var bytes: [UInt8]
        var replacement: [UInt8]
        /// What they are, for users.
        var noun: String
    }

    /// Texts that say what a device is, and not whose.
    private static let kept: Set<BluetoothUUID> = Set(
        [0x2A24, 0x2A26, 0x2A27, 0x2A28, 0x2A29].map { BluetoothUUID($0) })
    private static let nameValue = BluetoothUUID(0x2A00)
    private static let serialNumber = BluetoothUUID(0x2A25)
    /// The system ID, and the facts about a user: name, email address, birthday, age, gender, height and weight.
    private static let personal: Set<BluetoothUUID> = Set(
        [0x2A23, 0x2A80, 0x2A85, 0x2A87, 0x2A8A, 0x2A8C, 0x2A8E, 0x2A90, 0x2A98].map { BluetoothUUID($0) })
    /// Shorter texts are too often just numbers.
    private static let minText = 6
    /// How often it looks whether a recipe still reads the same.
    private static let maxTrials = 1024

    init(_ capture: Capture, recipe: Recipe?, secret: [UInt8]?, keepsName: Bool) {
        original = capture
        result = capture
        self.recipe = recipe
        result.address = Self.address(instead: capture, recipe: recipe)
        note("the address", if: true)
        add(address: capture.address, instead: result.address)
        if let name = capture.name {
            let masked = Self.name(instead: name, recipe: recipe, keepsLetters: keepsName)
            result.name = masked
            note("the name", if: masked != name)
            if masked != name { add(Array(name.utf8), Array(masked.utf8), "the name") }
        }
        for value in capture.values(of: Self.serialNumber) {
            add(value, value.map(Self.masked), "the serial number")
            guard let number = UInt32(String(decoding: value, as: UTF8.self)), number > 0xFFFF else { continue }
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            for order in [bytes, bytes.reversed()] { add(order, [0, 0, 0, 0], "the serial number") }
        }
        if let secret, let recipe {
            let other = Array(RecipeTrial.secret.utf8)
            for index in result.exchanges.indices where result.exchanges[index].kind == .written {
                let bytes = result.exchanges[index].bytes
                guard let write = recipe.writes.first(where: { $0.bytes.fits(bytes, secret: secret) }),
                    write.bytes.contains(where: \.isSecret)
                else { continue }
                result.exchanges[index].bytes = write.bytes.replacing(secret, with: other, in: bytes)
                note("the secret", if: true)
            }
            add(secret, secret.map { _ in UInt8(ascii: "x") }, "the secret")
        }
        tokens.sort { $0.bytes.count > $1.bytes.count }
        findAnswers()
    }

    private mutating func note(_ noun: String, if isReplaced: Bool) {
        if isReplaced, !result.replaced.contains(noun) { result.replaced.append(noun) }
    }

    private mutating func add(_ bytes: [UInt8], _ replacement: [UInt8], _ noun: String) {
        // Three equal bytes, or zeros, may be anything.
        guard bytes.count >= 3, Set(bytes).count >= 3 else { return }
        tokens.append(Token(bytes: bytes, replacement: replacement, noun: noun))
    }

    private mutating func add(address: BluetoothAddress, instead other: BluetoothAddress) {
        let (own, new) = (address.bytes, other.bytes)
        for (bytes, others) in [(own, new), (own.reversed(), new.reversed())] { add(bytes, others, "the address") }
        // The maker chose the first half; the second half alone says which device it is.
        if !own.suffix(3).contains(0) {
            add(Array(own.suffix(3)), Array(new.suffix(3)), "the address")
            add(own.suffix(3).reversed(), new.suffix(3).reversed(), "the address")
        }
        for separator in [":", "-", ""] {
            func text(_ bytes: [UInt8]) -> String { bytes.map { String(hex: [$0]) }.joined(separator: separator) }
            for (bytes, others) in [(own, new), (Array(own.suffix(3)), Array(new.suffix(3)))] {
                add(Array(text(bytes).utf8), Array(text(others).utf8), "the address")
                add(Array(text(bytes).uppercased().utf8), Array(text(others).uppercased().utf8), "the address")
            }
        }
    }

    // MARK: Names

    /// Returns an address that nobody has, with the beginning that says who made the device, or that the recipe recognizes.
    private static func address(instead capture: Capture, recipe: Recipe?) -> BluetoothAddress {
        var kept = capture.isRandom == false ? 3 : 0
        for start in recipe?.recognition.compactMap(\.address) ?? [] where capture.address.description.hasPrefix(start)
        {
            kept = max(kept, min(4, (start.utf8.count + 1) / 3))
        }
        let bytes =
            kept == 0
            ? [0xC0, 0, 0, 0, 0, 1] : capture.address.bytes.prefix(kept) + [0, 0, 0, 0, 0, 1].suffix(6 - kept)
        let bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        return BluetoothAddress(bits: bits == capture.address.bits ? bits + 1 : bits)
    }

    /// Returns a name of the same length. What a recipe recognizes stays.
    private static func name(instead name: String, recipe: Recipe?, keepsLetters: Bool) -> String {
        let bytes = Array(name.utf8)
        let pattern = recipe?.recognition.compactMap(\.name).first { Recipe.Recognition.fits($0, text: name) }
        guard let pattern else {
            return String(decoding: bytes.map { keepsLetters ? digitMasked($0) : masked($0) }, as: UTF8.self)
        }
        let parts = Array(pattern.utf8)
        var kept = Set<Int>()
        let star = UInt8(ascii: "*")
        func keep(_ place: Int, _ part: UInt8) { if part != UInt8(ascii: "?") { kept.insert(place) } }
        for (place, part) in parts.prefix(while: { $0 != star }).enumerated() { keep(place, part) }
        for (place, part) in parts.reversed().prefix(while: { $0 != star }).enumerated() {
            keep(bytes.count - 1 - place, part)
        }
        let new = bytes.enumerated().map { kept.contains($0.offset) ? $0.element : masked($0.element) }
        let text = String(decoding: new, as: UTF8.self)
        // A literal in the middle of the pattern.
        return Recipe.Recognition.fits(pattern, text: text)
            ? text : String(decoding: bytes.map(digitMasked), as: UTF8.self)
    }

    /// A letter or a digit becomes another one.
    private static func masked(_ byte: UInt8) -> UInt8 {
        byte.isLetter || byte >= 0x80 ? UInt8(ascii: "x") : digitMasked(byte)
    }

    private static func digitMasked(_ byte: UInt8) -> UInt8 {
        byte.isDigit ? UInt8(ascii: "0") : byte
    }

    // MARK: Tokens

    mutating func replaceTokens() {
        for index in result.packets.indices {
            var packet = result.packets[index]
            // The device is asked: nobody reads what it advertises.
            let isSilent = recipe.map { !$0.advertises } ?? false
            let zeroes = { (bytes: [UInt8]) in bytes.map { _ in UInt8(0) } }
            if isSilent {
                packet.manufacturerData = packet.manufacturerData.mapValues(zeroes)
                packet.serviceData = packet.serviceData.mapValues(zeroes)
                note("the bytes of the advertised data", if: packet != result.packets[index])
            } else {
                // Some devices put the address where the company's number should be.
                var data: [UInt16: [UInt8]] = [:]
                for (company, bytes) in packet.manufacturerData {
                    let whole = replaced([UInt8(company & 0xFF), UInt8(company >> 8)] + bytes)
                    data[UInt16(whole[0]) | UInt16(whole[1]) << 8] = Array(whole.dropFirst(2))
                }
                packet.manufacturerData = data
                for (service, bytes) in packet.serviceData { packet.serviceData[service] = replaced(bytes) }
            }
            result.packets[index] = packet
        }
        for (service, characteristic) in result.places {
            let point = result.services[service].characteristics[characteristic]
            guard let value = point.value else { continue }
            result.services[service].characteristics[characteristic].value = self.value(value, of: point.uuid)
        }
        for index in result.exchanges.indices where result.exchanges[index].kind == .read {
            let exchange = result.exchanges[index]
            result.exchanges[index].bytes = value(exchange.bytes, of: exchange.characteristic.uuid)
        }
        for stream in streams { write(replaced(bytes(of: stream)), to: stream) }
        mend()
    }

    /// A value of a characteristic. Official ones say by their number what they are.
    private mutating func value(_ bytes: [UInt8], of uuid: BluetoothUUID) -> [UInt8] {
        switch uuid {
        case Self.serialNumber:
            note("the serial number", if: !bytes.isEmpty)
            return bytes.map(Self.masked)
        case Self.nameValue:
            if bytes == original.name.map({ Array($0.utf8) }) { return result.name.map { Array($0.utf8) } ?? [] }
            note("the name", if: bytes != bytes.map(Self.masked))
            return bytes.map(Self.masked)
        case let uuid where Self.personal.contains(uuid):
            note(AssignedNumbers.characteristicName(uuid).map { "\($0) (\(uuid))" } ?? "\(uuid)", if: !bytes.isEmpty)
            return bytes.map { _ in 0 }
        default: return replaced(bytes)
        }
    }

    private mutating func replaced(_ bytes: [UInt8]) -> [UInt8] {
        var new = bytes
        for token in tokens {
            var rest = 0
            while let range = new[rest...].firstRange(of: token.bytes) {
                new.replaceSubrange(range, with: token.replacement)
                rest = range.upperBound
                note(token.noun, if: true)
            }
        }
        return new
    }

    // MARK: Text

    /// Replaces text in values and answers, such as the name of a network. What the recipe reads stays.
    mutating func replaceText() {
        for (service, characteristic) in result.places {
            let point = result.services[service].characteristics[characteristic]
            guard let value = point.value, !Self.kept.contains(point.uuid), point.uuid != Self.nameValue else {
                continue
            }
            let masked = Self.runs(in: value).reduce(value) { Self.masked($0, in: $1) }
            note("text in values", if: masked != value)
            result.services[service].characteristics[characteristic].value = masked
        }
        let before = result
        let runs = streams.flatMap { stream -> [Stream] in
            guard let first = stream.first else { return [] }
            let uuid = result.exchanges[first.exchange].characteristic.uuid
            if Self.kept.contains(uuid) || uuid == Self.nameValue { return [] }
            return Self.runs(in: bytes(of: stream)).map { Array(stream[$0]) }
        }
        for run in runs { write(bytes(of: run).map(Self.masked), to: run) }
        mend()
        if isSame(as: before) { return note("text in answers", if: result.exchanges != before.exchanges) }
        // Some of it is what the recipe reads, or just a number.
        result = before
        for place in runs.joined().prefix(Self.maxTrials) {
            let good = result
            write(bytes(of: [place]).map(Self.masked), to: [place])
            mend()
            if !isSame(as: before) { result = good }
        }
        note("text in answers", if: result.exchanges != before.exchanges)
    }

    /// Whether the recipe reads the same in the capture as before.
    private func isSame(as before: Capture) -> Bool {
        guard let recipe else { return true }
        let (old, new) = (before.trial(of: recipe).outcome, result.trial(of: recipe).outcome)
        return old.failure == new.failure && old.answers.map(\.measurements) == new.answers.map(\.measurements)
    }

    private static func masked(_ bytes: [UInt8], in run: Range<Int>) -> [UInt8] {
        bytes.indices.map { run.contains($0) ? masked(bytes[$0]) : bytes[$0] }
    }

    /// The places of text.
    private static func runs(in bytes: [UInt8]) -> [Range<Int>] {
        func isText(_ byte: UInt8) -> Bool { byte < 0x80 && masked(byte) != byte || "0x _-.:@'/+".utf8.contains(byte) }
        var runs: [Range<Int>] = []
        var start = 0
        for place in 0...bytes.count where place == bytes.count || !isText(bytes[place]) {
            if place - start >= minText { runs.append(start..<place) }
            start = place + 1
        }
        return runs
    }

    // MARK: Answers in pieces

    private func bytes(of stream: Stream) -> [UInt8] {
        stream.map { result.exchanges[$0.exchange].bytes[$0.offset] }
    }

    private mutating func write(_ bytes: [UInt8], to stream: Stream) {
        for (place, byte) in zip(stream, bytes) { result.exchanges[place.exchange].bytes[place.offset] = byte }
    }

    /// Finds the answers, which may be in several notifications, before a byte is replaced.
    private mutating func findAnswers() {
        let steps = recipe?.allSteps ?? []
        var notified: [RecipeCharacteristic: Stream] = [:]
        for (index, exchange) in result.exchanges.enumerated() {
            let whole = exchange.bytes.indices.map { (exchange: index, offset: $0) }
            let rules = steps.filter { $0.source.map(exchange.isAt) ?? false }.compactMap { $0.answer?.frame }
            switch exchange.kind {
            case .read:
                streams.append(whole)
                let own = steps.filter {
                    if case .read(let source) = $0.action { exchange.isAt(source) } else { false }
                }
                for rule in own.compactMap({ $0.answer?.frame }) { find(rule, in: whole) }
            case .notified:
                for rule in rules where rule.length == .notification { find(rule, in: whole) }
                let inner = rules.first.map { $0.withoutJunk(exchange.bytes).indices } ?? exchange.bytes.indices
                notified[exchange.characteristic, default: []] += whole[inner]
            case .written, .subscribed, .failed: break
            }
        }
        for (source, stream) in notified.sorted(by: { $0.key.description < $1.key.description }) {
            streams.append(stream)
            let rules = steps.filter { $0.source?.uuid == source.uuid }.compactMap { $0.answer?.frame }
            for rule in Set(rules) where rule.length != .notification { find(rule, in: stream) }
        }
    }

    private mutating func find(_ rule: FrameRule, in stream: Stream) {
        guard !rule.checks.isEmpty else { return }
        for range in rule.answers(in: bytes(of: stream)) { answers.append((rule, Array(stream[range]))) }
    }

    /// Makes the checks right again.
    private mutating func mend() {
        for answer in answers { write(answer.rule.mended(bytes(of: answer.places)), to: answer.places) }
    }
}

extension Capture {
    /// The indices of each service and characteristic.
    fileprivate var places: [(service: Int, characteristic: Int)] {
        services.indices.flatMap { service in
            services[service].characteristics.indices.map { (service, $0) }
        }
    }

    /// What a characteristic held or was read as.
    fileprivate func values(of uuid: BluetoothUUID) -> [[UInt8]] {
        services.flatMap(\.characteristics).filter { $0.uuid == uuid }.compactMap(\.value)
            + exchanges.filter { $0.kind == .read && $0.characteristic.uuid == uuid }.map(\.bytes)
    }
}
