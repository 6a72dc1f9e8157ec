import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// A paired device's characteristics, as text and as a configuration.
struct PairingReport: Sendable {
    let table: String
    let configuration: String
    let json: JSON

    /// A characteristic and the result of reading it; `nil` when it isn't readable.
    struct Row: Sendable {
        var uuid: BluetoothUUID
        var service: BluetoothUUID
        var notifies: Bool
        var value: Result<[UInt8], BluetoothError>?
        /// The way to decode its values; `nil` for the official one of its UUID.
        var form: ValueForm?

        var knownForm: ValueForm { form ?? ValueForm(of: uuid, layout: LayoutDecoder(uuid)) }
    }

    /// The most characteristics that it reads.
    private static let maxRows = 128

    /// Reads everything that can be read.
    init(of device: DeviceConfiguration, as alias: String?, on link: Link, layouts: [OwnLayout]) async {
        var rows: [Row] = []
        for characteristic in await link.characteristics.prefix(Self.maxRows)
        where ![BluetoothUUID(0x1800), BluetoothUUID(0x1801)].contains(characteristic.service) {
            var row = Row(
                uuid: characteristic.uuid, service: characteristic.service,
                notifies: !characteristic.flags.isDisjoint(with: ["notify", "indicate"]))
            if characteristic.flags.contains("read") {
                do throws(BluetoothError) {
                    row.value = .success(try await link.read(characteristic))
                } catch { row.value = .failure(error) }
            }
            row.form = await CharacteristicReader(characteristic, of: device, on: link, layouts: layouts).form
            rows.append(row)
        }
        var device = device
        // After pairing, BlueZ reports the permanent address.
        device.address = await link.address ?? device.address
        self.init(of: device, as: alias, rows)
    }

    init(of device: DeviceConfiguration, as alias: String?, _ rows: [Row]) {
        json = .object([
            "address": .text(device.address.description), "alias": .text(alias ?? device.alias),
            "characteristics": .array(rows.map(Self.json)),
        ])
        table = rows.map(Self.line).joined(separator: "\n")
        var text = "devices:\n  - address: \(device.address)\n"
        if let alias = alias ?? device.alias { text += "    alias: \(YAMLString.quoted(alias))\n" }
        if let adapter = device.adapter { text += "    adapter: \(adapter)\n" }
        let entries = rows.compactMap { Self.entry($0, among: rows) }
        if !entries.isEmpty { text += "    characteristics:\n" + entries.joined() }
        configuration = text
    }

    private static func line(_ row: Row) -> String {
        let form = row.knownForm
        let name = form.name.isEmpty ? "\(row.uuid)" : Untrusted(form.name).description
        let what =
            switch row.value {
            case .success(let bytes): text(of: bytes, form: form, uuid: row.uuid)
            case .failure(let error): "can't be read: \(Untrusted(error.description, limit: 256))"
            case nil: row.notifies ? "sends its values by itself" : "can't be read"
            }
        return name + String(repeating: " ", count: max(2, 30 - name.count)) + what
    }

    /// Returns `fields` for values that can be decoded, and `error` for a failed read.
    private static func json(_ row: Row) -> JSON {
        var pairs: [(key: String, value: JSON?)] = [
            ("service", .text(row.service.description)), ("uuid", .text(row.uuid.description)),
            ("name", .text(AssignedNumbers.characteristicName(row.uuid))), ("notifies", .boolean(row.notifies)),
        ]
        switch row.value {
        case .success(let bytes)?:
            let form = row.knownForm
            let fields = form.isKnown ? (try? form.decode(bytes)) ?? [] : []
            if !fields.isEmpty {
                pairs.append(("fields", .fields(fields)))
            }
            pairs.append(("raw", .hex(bytes)))
        case .failure(let error)?:
            pairs.append(
                ("error", .object(["code": .text(error.code.rawValue), "message": .text(error.description)])))
        case nil: break
        }
        return .object(pairs)
    }

    private static func text(of bytes: [UInt8], form: ValueForm, uuid: BluetoothUUID) -> String {
        guard let fields = try? form.decode(bytes), !fields.isEmpty, !bytes.isEmpty else {
            return bytes.isEmpty ? "nothing" : String(hex: bytes)
        }
        return MeasurementText.text(fields, of: uuid)
    }

    /// Returns a line of the configuration, for a characteristic that blekeep can poll.
    private static func entry(_ row: Row, among rows: [Row]) -> String? {
        let isRead = if case .success? = row.value { true } else { false }
        guard isRead || row.value == nil && row.notifies else { return nil }
        let same = rows.filter { $0.uuid == row.uuid }
        var keys = ["uuid: \(row.uuid)"]
        if Set(same.map(\.service)).count > 1 { keys.append("service: \(row.service)") }
        if !isRead { keys.append("notify: true") }
        let form = row.knownForm
        let name = form.name.isEmpty ? "" : "  # \(Untrusted(form.name))"
        return "      - \(keys.count == 1 ? "\(row.uuid)" : "{\(keys.joined(separator: ", "))}")\(name)\n"
    }
}
