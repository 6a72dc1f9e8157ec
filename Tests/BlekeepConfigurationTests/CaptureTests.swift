import BlekeepRecords
import Foundation
import Testing

@testable import BlekeepConfiguration

@Suite struct CaptureTests {
    private static let address = BluetoothAddress(bits: 0xA4C1_3812_3456)

    /// A device that a recipe asked, as its example says.
    private func make(_ recipe: Recipe, name: String? = nil) -> Capture {
        var capture = Capture(address: Self.address)
        capture.date = "2026-11-26"
        capture.recipe = recipe.name
        capture.isRandom = true
        capture.name = name
        var exchanges = RecipeTrial(recipe, answers: recipe.example).exchange
        for index in exchanges.indices { exchanges[index].time = .milliseconds(30 * (index + 1)) }
        capture.exchanges = exchanges
        for characteristic in recipe.characteristics {
            var service = Capture.Service(characteristic.service ?? BluetoothUUID(0xFFF0))
            service.characteristics = [Capture.Characteristic(characteristic.uuid, flags: ["read", "write", "notify"])]
            capture.services.append(service)
        }
        capture.expected = CaptureFile.unique(capture.values(by: recipe))
        return capture
    }

    private func recipe(_ text: String) throws -> Recipe {
        let parsed = RecipeCatalogue.parsed(text)
        #expect(parsed.problems.map(\.message) == [])
        return try #require(parsed.recipes.first)
    }

    /// Whether bytes are anywhere in the file, in either order; also across the pieces of an answer.
    private func has(_ bytes: [UInt8], in capture: Capture) -> Bool {
        let text = CaptureFile.text(capture, by: "test")
        let joined = String(hex: capture.exchanges.filter { $0.kind == .notified }.flatMap(\.bytes))
        return [bytes, bytes.reversed()].map { String(hex: $0) }.contains { text.contains($0) || joined.contains($0) }
    }

    // MARK: Replaying

    @Test(arguments: RecipeCatalogue.names)
    func aCaptureOfEachRecipeReadsTheSameAfterItWasMadeAnonymousAndWritten(name: String) throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: name))
        let capture = make(recipe)
        #expect(capture.trial(of: recipe).outcome.failure == nil && !capture.expected.isEmpty)
        let redacted = capture.redacted(for: recipe)
        let read = try CaptureFile.parse(CaptureFile.text(redacted, by: "test"), file: "f")
        #expect(read == redacted)
        #expect(CaptureFile.unique(read.values(by: recipe)) == capture.expected && read.address != capture.address)
    }

    @Test func aLostAnswerStaysLost() throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: "jbd"))
        var capture = make(recipe)
        let write = try #require(capture.exchanges.first { $0.kind == .written })
        // The second try.
        capture.exchanges = [write, write]
        #expect(capture.trial(of: recipe).outcome.failure?.message == "no answer to step 1 within 5s")
        capture.exchanges = []
        #expect(capture.trial(of: recipe).outcome.failure?.message.contains("the capture has no answer") == true)
    }

    @Test func aFailedWriteFailsAgain() throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: "miflora"))
        var capture = make(recipe)
        let write = try #require(capture.exchanges.firstIndex { $0.kind == .written })
        let failed = Exchange(
            .failed, capture.exchanges[write].characteristic, failure: "refused", at: .milliseconds(70))
        capture.exchanges.insert(failed, at: write + 1)
        #expect(capture.trial(of: recipe).outcome.failure?.message.contains("the capture has no answer") == true)
        // The second try succeeds.
        capture.exchanges.insert(capture.exchanges[write], at: write + 2)
        #expect(CaptureFile.unique(capture.values(by: recipe)) == capture.expected)
    }

    /// Files of owners have numbers, and those of emulated devices have names.
    @Test func capturesOfDevicesPlay() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/captures")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        var recipes: [String: String] = [:]
        for file in files {
            let capture = try CaptureFile.read(folder.appending(path: file).path)
            let recipe = try #require(capture.recipe.flatMap { RecipeCatalogue.recipe(named: $0) }, "\(file)")
            #expect(capture.trial(of: recipe).outcome.failure?.message == capture.failure, "\(file)")
            #expect(CaptureFile.unique(capture.values(by: recipe)) == capture.expected, "\(file)")
            #expect(!capture.replaced.isEmpty, "\(file)")
            recipes[file] = recipe.name
        }
        #expect(!files.isEmpty)
        for recipe in RecipeCatalogue.all {
            guard let tried = recipe.tried else { continue }
            let number = tried.split(separator: ",")[0].split(separator: " ")
            #expect(number.first == "capture" && number.count == 2, "\(recipe.name): \(tried)")
            #expect(recipes["\(number.last ?? "").yaml"] == recipe.name, "\(recipe.name): \(tried)")
        }
    }

    // MARK: What is replaced

    /// The second piece begins in the middle of the address, and a CRC covers it.
    private static let framed = """
        - name: framed
          steps:
            - write: fff1
              bytes: "01"
              await: fff2
              frame: {start: a5, length: {at: 1, type: uint8, add: 0}, check: {kind: crc16_modbus}}
              fields:
                - {name: voltage, at: 2, type: uint16, scale: 0.01, unit: V}
                - {name: _address, at: 14, type: hex(6)}
                - {name: _text, type: utf8s(7)}
                - {name: level, type: uint8}
          tests:
            - answers: [none]
              error: no answer
        """

    private func framed() throws -> (Recipe, Capture) {
        let recipe = try recipe(Self.framed)
        var answer: [UInt8] = [0xA5, 30, 0x34, 0x12] + [UInt8](repeating: 0, count: 10)
        answer += Self.address.bytes.reversed() + Array("WLAN-12".utf8) + [88]
        answer += Checksum.crc16Modbus.bytes(of: answer, endian: .little)
        var capture = make(recipe)
        let place = RecipeCharacteristic(BluetoothUUID(0xFFF2))
        capture.exchanges = [
            Exchange(.subscribed, place), Exchange(.written, RecipeCharacteristic(BluetoothUUID(0xFFF1)), [1]),
            Exchange(.notified, place, Array(answer.prefix(17)), at: .milliseconds(40)),
            Exchange(.notified, place, Array(answer.dropFirst(17)), at: .milliseconds(50)),
        ]
        return (recipe, capture)
    }

    @Test func theAddressInAnAnswerIsReplacedAndTheCheckIsRightAgain() throws {
        let (recipe, capture) = try framed()
        #expect(has(Self.address.bytes, in: capture))
        let redacted = capture.redacted(for: recipe)
        #expect(!has(Self.address.bytes, in: redacted) && !has(Array(Self.address.bytes.suffix(3)), in: redacted))
        #expect(!has(Array("WLAN".utf8), in: redacted))
        let values = redacted.values(by: recipe)
        #expect(values.map(\.field) == ["voltage", "level"] && values.map(\.text) == ["46.6", "88"])
        #expect(redacted.replaced == ["the address", "text in answers"])
    }

    @Test func theAddressIsReplacedInPacketsValuesAndText() throws {
        var capture = Capture(address: Self.address)
        capture.isRandom = false
        capture.name = "Box 123456"
        var packet = Capture.Packet(at: .zero)
        // The company's number is a part of the address.
        packet.manufacturerData = [0xC1A4: [0x38, 0x12, 0x34, 0x56, 7], 0x0499: [5] + Self.address.bytes.reversed()]
        packet.serviceData = [BluetoothUUID(0xFE95): [1, 2] + Self.address.bytes]
        capture.packets = [packet]
        var service = Capture.Service(BluetoothUUID(0x180A))
        let values: [(UInt16, [UInt8])] = [
            (0x2A00, Array("Box 123456".utf8)), (0x2A25, Array("S/N 4711-08".utf8)), (0x2A24, Array("Model 17".utf8)),
            (0x2A23, [0x56, 0x34, 0x12, 0xFF, 0xFE, 0x38, 0xC1, 0xA4]), (0x2A90, Array("Ada".utf8)),
            (0xFFF1, Array("a4:c1:38:12:34:56".utf8)), (0xFFF2, Array("my network".utf8)),
            (0xFFF3, [1, 2, 3, 4, 5, 6]),
        ]
        service.characteristics = values.map { uuid, value in
            var point = Capture.Characteristic(BluetoothUUID(uuid), flags: ["read"])
            point.value = value
            return point
        }
        capture.services = [service]
        let redacted = capture.redacted(for: nil)
        #expect(redacted.address.description == "A4:C1:38:00:00:01" && redacted.name == "xxx 000000")
        #expect(
            redacted.packets[0].manufacturerData == [
                0xC1A4: [0x38, 0, 0, 1, 7], 0x0499: [5, 1, 0, 0, 0x38, 0xC1, 0xA4],
            ])
        #expect(redacted.packets[0].serviceData == [BluetoothUUID(0xFE95): [1, 2, 0xA4, 0xC1, 0x38, 0, 0, 1]])
        let held = redacted.services[0].characteristics.map { $0.value ?? [] }
        let texts = [0, 1, 2, 6].map { String(decoding: held[$0], as: UTF8.self) }
        #expect(texts == ["xxx 000000", "x/x 0000-00", "Model 17", "xx xxxxxxx"])
        #expect(held[3] == [UInt8](repeating: 0, count: 8) && held[4] == [0, 0, 0] && held[7] == [1, 2, 3, 4, 5, 6])
        #expect(!has(Self.address.bytes, in: redacted))
        #expect(capture.redacted(for: nil, keepsName: true).name == "Box 000000")
        #expect(
            redacted.replaced == [
                "the address", "the name", "the serial number", "System ID (2a23)", "Last Name (2a90)",
                "text in values",
            ])
    }

    @Test func aNumberOfTheSerialNumberIsReplacedInBothOrders() {
        var capture = Capture(address: Self.address)
        var service = Capture.Service(BluetoothUUID(0x180A))
        var serial = Capture.Characteristic(BluetoothUUID(0x2A25), flags: ["read"])
        serial.value = Array("2930012345".utf8)
        service.characteristics = [serial]
        capture.services = [service]
        var packet = Capture.Packet(at: .zero)
        // 2930012345 is 0xaea470b9.
        packet.manufacturerData = [0x0334: [0xB9, 0x70, 0xA4, 0xAE, 0xAE, 0xA4, 0x70, 0xB9]]
        capture.packets = [packet]
        let redacted = capture.redacted(for: nil)
        #expect(redacted.packets[0].manufacturerData == [0x0334: [UInt8](repeating: 0, count: 8)])
        #expect(redacted.services[0].characteristics[0].value == Array("0000000000".utf8))
    }

    @Test func whatADeviceAdvertisesBesidesIsZeroWhenARecipeAsksIt() throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: "airthings-wave-plus"))
        var capture = make(recipe)
        var packet = Capture.Packet(at: .zero)
        packet.manufacturerData = [0x0334: [1, 2, 3, 4]]
        capture.packets = [packet]
        #expect(capture.redacted(for: recipe).packets[0].manufacturerData == [0x0334: [0, 0, 0, 0]])
    }

    @Test(arguments: [
        ("jbd", "JBD-Anna 12", "JBD-xxxx 00"), ("miflora", "Flower care", "Flower care"),
        ("daly", "DL-4118", "DL-0000"),
        ("vatrer", "24071051210000A", "00000051200000x"), ("jk", "Anna's JK", "xxxx'x xx"),
        ("jbd", "SJ-123-Ü", "SJ-000-xx"),
    ])
    func namesKeepWhatARecipeRecognizes(name: String, own: String, replaced: String) throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: name))
        let redacted = make(recipe, name: own).redacted(for: recipe)
        #expect(redacted.name == replaced)
        #expect(redacted.replaced.contains("the name") == (own != replaced))
    }

    @Test func theBeginningOfAnAddressThatARecipeRecognizesStays() throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: "jbd"))
        var capture = make(recipe)
        #expect(capture.redacted(for: recipe).address.description == "A4:C1:38:00:00:01")
        capture.address = BluetoothAddress(bits: 0xA4C1_3800_0001)
        #expect(capture.redacted(for: recipe).address.description == "A4:C1:38:00:00:02")
        capture.address = BluetoothAddress(bits: 0xF012_3456_789A)
        #expect(capture.redacted(for: recipe).address.description == "C0:00:00:00:00:01")
    }

    @Test func theSecretIsReplaced() throws {
        let recipe = try recipe(
            """
            - name: mine
              steps:
                - write: fff1
                  bytes: [a0, {secret_length: uint8}, {length: uint8}, {secret: text}, {check: sum8}]
                  await: fff2
                  fields: [{name: level, type: uint8}]
              tests:
                - answers: [none]
                  error: no answer
            """)
        var capture = make(recipe)
        let secret = Array("hunter2!".utf8)
        var request: [UInt8] = [0xA0, 8, 12] + secret
        request += Checksum.sum8.bytes(of: request, endian: .big)
        let place = RecipeCharacteristic(BluetoothUUID(0xFFF2))
        capture.exchanges = [
            Exchange(.written, RecipeCharacteristic(BluetoothUUID(0xFFF1)), request),
            Exchange(.notified, place, [7] + secret),
        ]
        let redacted = capture.redacted(for: recipe, secret: secret)
        #expect(!has(secret, in: redacted) && redacted.replaced.contains("the secret"))
        #expect(redacted.exchanges[0].bytes == RecipeTrial(recipe, answers: []).writes.first)
        #expect(redacted.values(by: recipe).map(\.text) == ["7"])
    }

    // MARK: The file

    @Test func mistakesInAFileHavePlaces() {
        func problems(_ text: String) -> String? {
            do throws(ConfigurationErrors) { _ = try CaptureFile.parse(text, file: "f") } catch {
                return error.description
            }
            return nil
        }
        #expect(problems("") == "f:1:1: the file is empty; name one that 'blekeep capture' wrote")
        #expect(problems("devices: []") == "f:1:1: this isn't a capture; name a file that 'blekeep capture' wrote")
        #expect(problems("capture: 1\ndevices: []")?.contains("f:2:1: a capture has no key `devices`") == true)
        #expect(problems("capture: 1")?.contains("a capture needs a `device`; add one") == true)
        #expect(problems("capture: 2\ndevice: {address: C0:00:00:00:00:01}")?.contains("f:1:10: `capture` is") == true)
        #expect(problems("capture: 1\ndevice: {address: me}")?.contains("f:2:1: a device needs an `address`") == true)
        let head = "capture: 1\ndevice: {address: C0:00:00:00:00:01}\n"
        for (text, problem) in [
            ("exchanges: [{at: 1ms, written: fff1, bytes: 0g}]", "`0g` isn't bytes"),
            ("exchanges: [{at: 1ms, written: fff1, read: fff2}]", "an exchange needs one of `read`, `written`"),
            ("exchanges: [{at: 1ms, bytes: 00}]", "an exchange needs one of"),
            (
                "exchanges: [{at: 1ms, read: a/b/c, bytes: 00}]",
                "`a/b/c` isn't a characteristic; write a UUID such as fff1, or fff0/fff1 with its service"
            ),
            ("exchanges: [{at: 2h, read: fff1, bytes: 00}]", "it can be from 0s to 1h"),
            ("services: [{characteristics: []}]", "this needs a `uuid`"),
            ("services: [{uuid: none}]", "`none` isn't a UUID"),
            ("advertisements: [{at: 0s, manufacturer_data: {1177: 00}}]", "write a company's number such as"),
            ("advertisements: [{at: 0s, service_data: {x: 00}}]", "`x` isn't a UUID"),
            ("advertisements: [{at: 0s, rssi: 200}]", "`rssi` is"),
        ] {
            #expect(problems(head + text)?.contains(problem) == true, "\(text): \(problems(head + text) ?? "good")")
        }
        #expect(problems(head) == nil)
    }

    @Test func aFileIsBounded() {
        let line = "  - {at: 1ms, notified: fff1, bytes: 00}\n"
        let head = "capture: 1\ndevice: {address: C0:00:00:00:00:01}\nexchanges:\n"
        let full = String(repeating: line, count: Capture.Limit.exchanges)
        #expect(throws: Never.self) { _ = try CaptureFile.parse(head + full, file: "f") }
        #expect(throws: ConfigurationErrors.self) { _ = try CaptureFile.parse(head + full + line, file: "f") }
        let long = String(repeating: "00", count: 513)
        #expect(throws: ConfigurationErrors.self) {
            _ = try CaptureFile.parse(head + "  - {at: 1ms, notified: fff1, bytes: \(long)}", file: "f")
        }
    }
}
