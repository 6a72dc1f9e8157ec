import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// A configuration file for one device, made from its characteristics.
struct DeviceFile: Sendable {
    private(set) var text: String
    /// Whether blekeep can decode a value of the device.
    private(set) var hasKnownForm = true
    /// Whether its values can't be read without a key.
    private(set) var needsKey = false

    /// - Parameters:
    ///   - name: the device's own.
    ///   - values: what the device advertises.
    init(ofPassive device: DeviceConfiguration, name: String?, _ values: AdvertisedValues) {
        text = Self.head(device, page: FamilyPage.name(recipe: nil, formats: values.formats))
        text += "    mode: passive  # \(values.text)\n"
        if let key = device.keyFile {
            text += "    key: \(YAMLString.scalar(key))\n"
        } else if !values.isReadable {
            text += "    # key:  # needed, because the values are encrypted\n"
            needsKey = true
        }
        let formats = BroadcastFormat.allCases.filter { values.formats.contains($0.name) }
        text += Self.log(RecipeCatalogue.log(recipe: nil, formats: Set(formats), own: []), name: name)
    }

    /// An offer to fill gaps, which the user takes by removing the `#`; empty for a device without a memory.
    private static func log(_ recipe: Recipe?, name: String? = nil) -> String {
        recipe?.log?.fits(name: name) != true
            ? "" : "    # log: fill  # or all, only: fills gaps from its own memory, with the timer blekeep-fill\n"
    }

    init(of recognized: RecognizedDevice) {
        let recipe = recognized.recipe
        text = Self.head(recognized.device, page: FamilyPage.name(recipe: recipe.name))
        text += "    recipe: \(recipe.name)  # \(Untrusted.whole(recipe.title)): writes \(recognized.writes)\n"
        if recognized.device.mayWrite { text += "    write: true\n" }
        text += Self.log(RecipeCatalogue.log(recipe: recipe.name, formats: [], own: [recipe]))
    }

    private static func head(_ device: DeviceConfiguration, page: String? = nil) -> String {
        var text = "# Written by 'blekeep add'; you may change it.\n"
        if let page { text += "# About such devices: \(FamilyPage.path(of: page))\n" }
        text += "devices:\n  - address: \(device.address)\n"
        if let alias = device.alias { text += "    alias: \(YAMLString.quoted(alias))\n" }
        if let adapter = device.adapter { text += "    adapter: \(adapter)\n" }
        return text
    }

    init(of device: DeviceConfiguration, on link: Link, layouts: [OwnLayout]) async {
        text = Self.head(device)
        var chosen: [String] = []
        /// Characteristics without a layout, and characteristics that blekeep can't poll.
        var others: [(line: String, isPollable: Bool)] = []
        let all = await link.characteristics
        var listed: Set<[BluetoothUUID]> = []
        for characteristic in all where characteristic.service != BluetoothUUID(0x1801) {
            // One line names all characteristics with the same UUID in a service.
            guard listed.insert([characteristic.service, characteristic.uuid]).inserted else { continue }
            let isElsewhere = all.contains { $0.uuid == characteristic.uuid && $0.service != characteristic.service }
            let reader = await CharacteristicReader(characteristic, of: device, on: link, layouts: layouts)
            var parts = ["uuid: \(characteristic.uuid)"]
            if isElsewhere { parts.append("service: \(characteristic.service)") }
            let isReadable = characteristic.flags.contains("read")
            let notifies = !characteristic.flags.isDisjoint(with: ["notify", "indicate"])
            if !isReadable, notifies { parts.append("notify: true") }
            // The values of the Device Information service rarely change.
            if isReadable, characteristic.service == BluetoothUUID(0x180A) { parts.append("interval: 24h") }
            let entry = parts.count == 1 ? "\(characteristic.uuid)" : "{\(parts.joined(separator: ", "))}"
            let comment = await Self.comment(reader, on: link)
            if reader.form.isKnown, isReadable || notifies {
                chosen.append("      - \(entry)\(comment)\n")
            } else {
                others.append(("- \(entry)\(comment)\n", isReadable || notifies))
            }
        }
        hasKnownForm = !chosen.isEmpty
        if chosen.isEmpty {
            // Without a layout, blekeep stores the bytes.
            chosen = others.filter(\.isPollable).map { "      \($0.line)" }
            others.removeAll(where: \.isPollable)
        }
        // In YAML, a key followed only by comments has no list.
        text += chosen.isEmpty ? "    # characteristics:\n" : "    characteristics:\n"
        text += chosen.joined() + others.map { "      # \($0.line)" }.joined()
    }

    private static func comment(_ reader: CharacteristicReader, on link: Link) async -> String {
        var words = reader.name.isEmpty ? "" : Untrusted(reader.name).description
        if reader.characteristic.flags.contains("read"), !reader.characteristic.needsPairing,
            let bytes = try? await link.read(reader.characteristic), let value = try? reader.form.decode(bytes)
        {
            words += (words.isEmpty ? "" : ": ") + MeasurementText.text(value)
        }
        return words.isEmpty ? "" : "  # \(words)"
    }
}
