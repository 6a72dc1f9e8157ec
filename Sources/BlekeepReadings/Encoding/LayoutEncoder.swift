extension LayoutDecoder {
    /// Encodes a value as users write it: the reverse of `decode`.
    ///
    /// - Parameter texts: the value, when the layout has a single field; otherwise `field=value` for each field.
    package func encode(_ texts: [String]) throws(UserError) -> [UInt8] {
        guard !fields.isEmpty else { throw UserError("\(name) can only be written as bytes, such as 0x0a1b") }
        return try (own ?? fields.map { RecipeField($0) }).encode(texts, endian: endian)
    }
}

extension PresentationFormat {
    /// Encodes a value as users write it: the reverse of `decode`.
    package func encode(_ texts: [String]) throws(UserError) -> [UInt8] {
        guard let field else { throw UserError("a \(formatName) can only be written as bytes, such as 0x0a1b") }
        return try [RecipeField(field)].encode(texts, endian: .little)
    }
}

extension [RecipeField] {
    fileprivate func encode(_ texts: [String], endian: Endian) throws(UserError) -> [UInt8] {
        let given = try values(of: texts)
        var presence = PresenceContext()
        var known = RecipeValues()
        var writer = ByteWriter(endian: endian)
        var written: Set<String> = []
        for (index, one) in enumerated() {
            let field = one.field
            let isMoreGiven = self[index...].contains { given[$0.field.name] != nil }
            guard one.conditions.allSatisfy({ $0.holds(known, size: 0) { _ in false } }),
                presence.isPresent(field, atEnd: !isMoreGiven)
            else { continue }
            if field.name.isEmpty {
                field.writeNothing(to: &writer)
            } else if let text = given[field.name] {
                written.insert(field.name)
                for item in field.repeats ? text.split(separator: ",") : [text] {
                    guard let raw = try field.write(item, to: &writer), !field.repeats else { continue }
                    let value = field.value(of: raw)
                    presence.note(field, value)
                    known[field.name] = value.value
                }
            } else if !field.repeats {
                throw UserError("\(field.name) is missing; \(Self.howTo(names))")
            }
        }
        if let extra = given.keys.filter({ !written.contains($0) }).sorted().first {
            throw UserError("leave \(extra) out: the other fields say that it isn't present")
        }
        return writer.bytes
    }

    private var names: [String] {
        var seen: Set<String> = []
        return map(\.field.name).filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    private static func howTo(_ names: [String]) -> String {
        "write \(names.map { "\($0)=…" }.joined(separator: " ")), or all bytes such as 0x0a1b"
    }

    private func values(of texts: [String]) throws(UserError) -> [String: Substring] {
        let names = names
        var values: [String: Substring] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, names.contains(String(parts[0])) {
                guard values.updateValue(parts[1], forKey: String(parts[0])) == nil else {
                    throw UserError("\(parts[0]) is given twice")
                }
            } else if names.count == 1, texts.count == 1, let only = names.first {
                values[only] = text[...]
            } else if names.count == 1 {
                throw UserError("the only field is \(names.joined()): write one value, and quote it if it has spaces")
            } else {
                throw UserError("\(ValueText.quoted(text)) isn't a field and its value; \(Self.howTo(names))")
            }
        }
        return values
    }
}

extension PresentationFormat {
    /// The field that encodes this format; `nil` for `utf16s`.
    private var field: Field? {
        var field: Field
        switch formatName {
        case "boolean":
            field = Field(name: "value", type: .unsigned(bits: 8))
            field.states = [.init(raw: 0, word: "false"), .init(raw: 1, word: "true")]
            field.limits = 0...1
        case "struct", "medASN1": field = Field(name: "value", type: .hex(bytes: nil))
        default:
            guard let type = FieldType(formatName[...]) else { return nil }
            field = Field(name: "value", type: type)
            if type.isInteger { field.scale = Scale(decimal: decimal) }
        }
        field.unit = unitSymbol
        return field
    }
}
