/// The fields of a JSON object, declared once and in their order. What writes an object and what describes it both read
/// this table, so that no field is in one and missing in the other.
package struct JSONTable<Subject>: Sendable {
    package let fields: [JSONField<Subject>]

    package init(_ fields: [JSONField<Subject>]) { self.fields = fields }

    /// Adds the object of a subject, without a line feed.
    package func append(_ subject: Subject, to bytes: inout [UInt8]) {
        let start = bytes.count
        for field in fields {
            let end = bytes.count
            bytes.append(contentsOf: field.key)
            if !field.append(subject, &bytes) { bytes.removeLast(bytes.count - end) }
        }
        // In place of the comma before the first key.
        if bytes.count > start { bytes[start] = UInt8(ascii: "{") } else { bytes.append(UInt8(ascii: "{")) }
        bytes.append(UInt8(ascii: "}"))
    }

    package func json(_ subject: Subject) -> JSON {
        var bytes: [UInt8] = []
        append(subject, to: &bytes)
        return .written(bytes)
    }

    /// The schema of the objects, as OpenAPI has it.
    package var schema: JSON {
        .object([
            "type": "object", "required": .array(fields.filter(\.isRequired).map { .text($0.name) }),
            "properties": .object(fields.map { ($0.name, $0.schema) }),
        ])
    }
}

/// A field of a `JSONTable`: its name, its type and unit for the description, and how a subject has it.
package struct JSONField<Subject>: Sendable {
    package let name: String
    /// Whether each object has the field.
    package let isRequired: Bool
    package let schema: JSON
    /// The name as it is written, after a comma.
    fileprivate let key: [UInt8]
    /// Adds the value. Returns `false` for an object without the field, perhaps after a part of it.
    fileprivate let append: @Sendable (Subject, inout [UInt8]) -> Bool

    private init(
        _ name: String, isRequired: Bool, _ schema: JSON,
        _ append: @escaping @Sendable (Subject, inout [UInt8]) -> Bool
    ) {
        (self.name, self.isRequired, self.schema, self.append) = (name, isRequired, schema, append)
        key = Array(",\"\(name)\":".utf8)
    }

    /// A field of each object.
    package static func always(
        _ name: String, schema: JSON, value: @escaping @Sendable (Subject) -> JSON
    ) -> JSONField {
        alwaysWritten(name, schema: schema) { subject, bytes in value(subject).append(to: &bytes) }
    }

    /// A field of the objects that have a value for it.
    package static func maybe(
        _ name: String, schema: JSON, value: @escaping @Sendable (Subject) -> JSON?
    ) -> JSONField {
        maybeWritten(name, schema: schema) { subject, bytes in
            guard let value = value(subject) else { return false }
            value.append(to: &bytes)
            return true
        }
    }

    /// A field of each object, which writes its value by itself, for objects that are written in great numbers.
    package static func alwaysWritten(
        _ name: String, schema: JSON, write: @escaping @Sendable (Subject, inout [UInt8]) -> Void
    ) -> JSONField {
        JSONField(name, isRequired: true, schema) { subject, bytes in
            write(subject, &bytes)
            return true
        }
    }

    /// The same for a field that an object may lack: then it returns `false`.
    package static func maybeWritten(
        _ name: String, schema: JSON, write: @escaping @Sendable (Subject, inout [UInt8]) -> Bool
    ) -> JSONField {
        JSONField(name, isRequired: false, schema, write)
    }

    /// The field of an object whose subject has this one's subject as a part.
    package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Subject) -> JSONField<Whole> {
        JSONField<Whole>(name, isRequired: isRequired, schema) { append(part($0), &$1) }
    }
}

extension JSON {
    /// A schema, as OpenAPI has it.
    ///
    /// - Parameters:
    ///   - type: such as `string`; `nil` for any value.
    ///   - meaning: a sentence with the unit, where the name doesn't say it.
    package static func schema(
        _ type: String?, meaning: String? = nil, more: KeyValuePairs<String, JSON?> = [:]
    ) -> JSON {
        .object(
            [(key: "type", value: .text(type)), (key: "description", value: .text(meaning))]
                + more.map { (key: $0.key, value: $0.value) })
    }

    package static func schema(arrayOf items: JSON) -> JSON { schema("array", meaning: nil, more: ["items": items]) }

    /// A schema with words for values.
    package static func schema(oneOf words: [String], _ meaning: String? = nil) -> JSON {
        schema("string", meaning: meaning, more: ["enum": .array(words.map { .text($0) })])
    }
}
