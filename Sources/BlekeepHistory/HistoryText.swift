internal import GRDB

internal import struct Foundation.Data

/// Text and octets as database values, none of them lost.
///
/// GRDB binds text up to its first NUL and an empty blob as NULL: text with a NUL is kept as a blob of its UTF-8,
/// and no octets as empty text.
enum HistoryText {
    static func encode(_ text: String?) -> DatabaseValue {
        guard let text else { return .null }
        return text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }

    static func decode(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .string(let text): text
        case .blob(let data): String(decoding: data, as: UTF8.self)
        case .null, .int64, .double: nil
        }
    }

    static func encode(octets: [UInt8]?) -> DatabaseValue {
        guard let octets else { return .null }
        return octets.isEmpty ? "".databaseValue : Data(octets).databaseValue
    }

    static func decode(octets value: DatabaseValue) -> [UInt8]? {
        switch value.storage {
        case .blob(let data): Array(data)
        case .string(let text): Array(text.utf8)
        case .null, .int64, .double: nil
        }
    }
}
