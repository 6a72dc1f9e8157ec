/// A D-Bus value of any type.
package enum Value: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(ObjectPath)
    case signature(Signature)
    case descriptor(FileHandle)
    /// `ay`, the type of a characteristic's value.
    case bytes([UInt8])
    /// Any other array, with the signature of its elements.
    indirect case array(Signature, [Value])
    /// `a{kv}`, with the signatures of key and value. The sender chooses the order, and keys may repeat.
    indirect case dictionary(key: Signature, value: Signature, [Entry])
    case structure([Value])
    indirect case variant(Value)

    package struct Entry: Sendable, Hashable {
        package var key: Value
        package var value: Value

        package init(_ key: Value, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    package var signature: Signature { Signature(unchecked: code) }

    /// Returns an entry of a dictionary of variants, without decoding the others.
    package func entry(_ name: String) -> Value? {
        guard case .dictionary(_, _, let entries) = self,
            let entry = entries.last(where: { if case .string(name) = $0.key { true } else { false } }),
            case .variant(let content) = entry.value
        else { return nil }
        return content
    }

    /// The number of bytes on the wire, without alignment.
    var approximateSize: Int {
        switch self {
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .descriptor: 4
        case .int64, .uint64, .double: 8
        case .string(let text): 5 + text.utf8.count
        case .path(let path): 5 + path.text.utf8.count
        case .signature(let signature): 2 + signature.text.utf8.count
        case .bytes(let bytes): 4 + bytes.count
        case .array(_, let values), .structure(let values): values.reduce(4) { $0 + $1.approximateSize }
        case .dictionary(_, _, let entries):
            entries.reduce(4) { $0 + $1.key.approximateSize + $1.value.approximateSize }
        case .variant(let content): 3 + content.approximateSize
        }
    }

    /// The signature as text.
    var code: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element.text
        case .dictionary(let key, let value, _): "a{" + key.text + value.text + "}"
        case .structure(let members): "(" + members.map(\.code).joined() + ")"
        case .variant: "v"
        }
    }
}
