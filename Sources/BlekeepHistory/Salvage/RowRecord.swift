internal import GRDB

internal import struct Foundation.Data

/// The values of a row as an SQLite file holds them.
enum RowRecord {
    /// Reads a record; `nil` unless it is exactly as long as its header says and all its text is UTF-8.
    static func values(_ bytes: ArraySlice<UInt8>, atMost most: Int = 32) -> [DatabaseValue]? {
        var place = bytes.startIndex
        guard let size = Varint.read(bytes, &place), size >= 1, size <= Int64(bytes.count) else { return nil }
        let body = bytes.startIndex + Int(size)
        var types: [Int64] = []
        while place < body {
            guard types.count < most, let type = Varint.read(bytes[..<body], &place), type >= 0 else { return nil }
            types.append(type)
        }
        var values: [DatabaseValue] = []
        values.reserveCapacity(types.count)
        place = body
        for type in types {
            guard let length = length(of: type), length <= bytes.endIndex - place,
                let value = value(type, bytes[place..<place + length])
            else { return nil }
            values.append(value)
            place += length
        }
        return place == bytes.endIndex ? values : nil
    }

    private static func length(of type: Int64) -> Int? {
        switch type {
        case 0...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 8, 9: 0
        case 10, 11: nil
        default: Int(exactly: (type - 12) / 2)
        }
    }

    private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> DatabaseValue? {
        switch type {
        case 0: return .null
        case 1...6: return integer(bytes).databaseValue
        case 7:
            let number = Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
            return number.isNaN ? nil : number.databaseValue
        case 8: return 0.databaseValue
        case 9: return 1.databaseValue
        case let type where type.isMultiple(of: 2): return Data(bytes).databaseValue
        default: return String(validating: bytes, as: UTF8.self)?.databaseValue
        }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
        let isNegative = (bytes.first ?? 0) >= 0x80
        return Int64(bitPattern: bytes.reduce(isNegative ? .max : 0) { $0 << 8 | UInt64($1) })
    }
}
