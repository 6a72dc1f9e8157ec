import Blekeep
import BlekeepOutputs

/// A device's services and characteristics, with their values.
struct GattReport: Sendable {
    private struct Entry {
        var reader: CharacteristicReader
        var value: Value
    }

    private enum Value {
        case none
        case unread
        /// Only paired clients can read it.
        case locked
        case bytes([UInt8])
        case failure(BluetoothError)

        var isUnread: Bool { if case .unread = self { true } else { false } }
    }

    private let device: DeviceConfiguration
    private var services: [(uuid: BluetoothUUID, handle: Int?, entries: [Entry])] = []

    /// Whether values are left to read. BlueZ keeps them waiting behind one that needs pairing, until the connection
    /// ends.
    var isUnfinished: Bool { services.contains { $0.entries.contains { $0.value.isUnread } } }

    init(of device: DeviceConfiguration, on link: Link, layouts: [OwnLayout], readsValues: Bool) async {
        self.device = device
        let isPaired = await link.isPaired
        for service in await link.services {
            var entries: [Entry] = []
            for characteristic in service.characteristics {
                let reader = await CharacteristicReader(characteristic, of: device, on: link, layouts: layouts)
                var value = Value.none
                if readsValues {
                    if characteristic.needsPairing, !isPaired {
                        value = .locked
                    } else if characteristic.flags.contains("read") {
                        value = .unread
                    }
                }
                entries.append(Entry(reader: reader, value: value))
            }
            services.append((service.uuid, service.handle, entries))
        }
    }

    /// Reads the values that aren't read yet, until one needs pairing or isn't answered.
    mutating func read(on link: Link) async {
        for service in services.indices {
            for place in services[service].entries.indices where services[service].entries[place].value.isUnread {
                let characteristic = services[service].entries[place].reader.characteristic
                do throws(BluetoothError) {
                    services[service].entries[place].value = .bytes(try await link.read(characteristic))
                } catch {
                    services[service].entries[place].value = .failure(error)
                    if await link.waitsForPairing { return }
                    // Later requests would wait behind one without an answer.
                    if error.code == .timedOut || error.code == .link { return leaveRest() }
                }
            }
        }
    }

    /// Gives up the values that aren't read yet.
    private mutating func leaveRest() {
        for service in services.indices {
            for place in services[service].entries.indices where services[service].entries[place].value.isUnread {
                services[service].entries[place].value = .none
            }
        }
    }

    // MARK: Text

    func lines(on terminal: Terminal) -> [String] {
        var lines = ["\(terminal.paint(device.name, as: .bold))\(device.alias == nil ? "" : "  \(device.address)")"]
        for (index, service) in services.enumerated() {
            let isLast = index == services.count - 1
            let name = AssignedNumbers.serviceName(service.uuid) ?? "Vendor service"
            let handle = service.handle.map { "  \(HandleText.text($0))" } ?? ""
            lines.append("\(isLast ? "└" : "├")─ \(terminal.paint(name, as: .accent))  \(service.uuid)\(handle)")
            for (place, entry) in service.entries.enumerated() {
                let isLastEntry = place == service.entries.count - 1
                lines += self.lines(entry, indent: isLast ? "   " : "│  ", isLast: isLastEntry, on: terminal)
            }
        }
        if services.isEmpty { lines.append("└─ nothing") }
        return lines
    }

    private func lines(_ entry: Entry, indent: String, isLast: Bool, on terminal: Terminal) -> [String] {
        let characteristic = entry.reader.characteristic
        let name = entry.reader.name.isEmpty ? "Vendor characteristic" : Untrusted(entry.reader.name).description
        let handle = characteristic.handle.map { "  \(HandleText.text($0))" } ?? ""
        let flags = characteristic.flags.sorted().map { Untrusted($0).description }.joined(separator: ", ")
        var line =
            "\(indent)\(isLast ? "└" : "├")─ \(name)  \(characteristic.uuid)\(handle)  \(terminal.paint(flags, as: .faint))"
        switch entry.value {
        case .none, .unread: break
        case .locked: line += "  " + terminal.paint("needs pairing", as: .warning)
        case .bytes(let bytes): line += "  " + terminal.paint(text(bytes, reader: entry.reader), as: .bold)
        case .failure(let error):
            line +=
                "  "
                + terminal.paint(Untrusted(error.sentence(about: device.address), limit: 200).description, as: .bad)
        }
        let inner = indent + (isLast ? "   " : "│  ")
        return [line]
            + characteristic.descriptors.map { descriptor in
                let name = AssignedNumbers.descriptorName(descriptor.uuid) ?? "Vendor descriptor"
                let handle = descriptor.handle.map { "  \(HandleText.text($0))" } ?? ""
                return inner + terminal.paint("· \(name)  \(descriptor.uuid)\(handle)", as: .faint)
            }
    }

    private func text(_ bytes: [UInt8], reader: CharacteristicReader) -> String {
        do throws(DecodeError) {
            let measurements = try reader.form.decode(bytes)
            guard !measurements.isEmpty else { return String(hex: bytes) }
            return MeasurementText.text(measurements, of: reader.characteristic.uuid)
        } catch { return String(hex: bytes) }
    }

    // MARK: JSON

    var json: JSON {
        .object([
            "device": .text(device.name), "address": .text(device.address.description),
            "services": .array(
                services.map { service in
                    .object([
                        "uuid": .text(service.uuid.description), "handle": .integer(service.handle),
                        "name": .text(AssignedNumbers.serviceName(service.uuid)),
                        "characteristics": .array(service.entries.map { json($0) }),
                    ])
                }),
        ])
    }

    private func json(_ entry: Entry) -> JSON {
        let characteristic = entry.reader.characteristic
        var raw: JSON?
        var fields: JSON?
        var error: JSON?
        switch entry.value {
        case .none, .unread: break
        case .locked: error = "needs pairing"
        case .bytes(let bytes):
            raw = .hex(bytes)
            // Without a known form, `raw` says all.
            if entry.reader.form.isKnown, let decoded = try? entry.reader.form.decode(bytes), !decoded.isEmpty {
                fields = .fields(decoded)
            }
        case .failure(let failure): error = .text(failure.sentence(about: device.address))
        }
        return .object([
            "uuid": .text(characteristic.uuid.description), "handle": .integer(characteristic.handle),
            "name": entry.reader.name.isEmpty ? nil : .text(entry.reader.name),
            "flags": .array(characteristic.flags.sorted().map { .text($0) }), "raw": raw, "fields": fields,
            "error": error,
            "descriptors": .array(
                characteristic.descriptors.map { descriptor in
                    .object([
                        "uuid": .text(descriptor.uuid.description), "handle": .integer(descriptor.handle),
                        "name": .text(AssignedNumbers.descriptorName(descriptor.uuid)),
                    ])
                }),
        ])
    }
}
