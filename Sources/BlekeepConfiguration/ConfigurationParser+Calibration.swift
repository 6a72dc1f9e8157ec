import Blekeep
import Yams

/// The calibration of a characteristic, and the tags of a device.
extension ConfigurationParser {
    /// Reads `factor:` and `offset:` of a characteristic.
    mutating func calibration(_ entries: [String: YAMLEntry]) -> Calibration? {
        let factor = reader.decimal(entries["factor"])
        let offset = reader.decimal(entries["offset"])
        if factor?.digits == 0, let entry = entries["factor"] {
            reader.note(
                "a `factor` of 0 makes all values equal; write another one", at: entry.valuePlace(in: reader.file))
            return nil
        }
        guard factor != nil || offset != nil else { return nil }
        return Calibration(factor: factor ?? .one, offset: offset ?? .zero)
    }

    /// Reads `tags:` of a device.
    mutating func tags(_ entry: YAMLEntry?) -> [String] {
        var tags: [String] = []
        for node in reader.list(entry, what: "tags") {
            let item = YAMLEntry(key: "tags", place: reader.place(of: node), node: node)
            guard let tag = reader.text(item, what: "a word such as cellar") else { continue }
            if let flaw = TagRule.flaw(in: tag) {
                reader.note("the tag \(Quoted.text(tag)) \(flaw)", at: item.place)
            } else if tags.contains(tag) {
                reader.note("the tag `\(tag)` is listed already; keep one", at: item.place)
            } else if tags.count >= TagRule.most {
                reader.note("a device has at most \(TagRule.most) tags; remove this one", at: item.place)
            } else {
                tags.append(tag)
            }
        }
        return tags
    }
}
