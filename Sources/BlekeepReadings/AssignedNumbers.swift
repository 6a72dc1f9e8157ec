/// The official names of the numbers that the Bluetooth SIG assigned, and the numbers of these names.
///
/// ```swift
/// let name = AssignedNumbers.characteristicName(BluetoothUUID(0x2A19))        // "Battery Level"
/// let uuid = AssignedNumbers.characteristic(named: "battery-level")           // 2a19
/// ```
///
/// The source is the SIG's document Assigned Numbers, as of mid-2026. A lookup by number is a binary search. A lookup by
/// name reads the whole table, which takes about 0.2 ms.
public enum AssignedNumbers {
    /// The name of a service, such as `Environmental Sensing`; `nil` when the number isn't assigned.
    public static func serviceName(_ service: BluetoothUUID) -> String? {
        ServiceTable.table[service].map { String($0[1]) }
    }

    /// The name of a characteristic, such as `Battery Level`; `nil` when the number isn't assigned.
    public static func characteristicName(_ characteristic: BluetoothUUID) -> String? {
        CharacteristicTable.table[characteristic].map { String($0[1]) }
    }

    /// The name of a descriptor, such as `Characteristic Presentation Format`; `nil` when the number isn't assigned.
    public static func descriptorName(_ descriptor: BluetoothUUID) -> String? {
        DescriptorTable.table[descriptor].map { String($0[1]) }
    }

    /// The name of a unit, such as `pressure (pascal)`; `nil` when the number isn't assigned.
    public static func unitName(_ unit: BluetoothUUID) -> String? {
        UnitTable.table[unit].map { String($0[1]) }
    }

    /// The symbol of a unit, such as `Pa`; `nil` for a plain number, and when the number isn't assigned.
    ///
    /// The SIG assigns no symbols; blekeep chose these.
    public static func unitSymbol(_ unit: BluetoothUUID) -> String? {
        UnitTable.table[unit].map { String($0[2]) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The name of a company, such as `Ruuvi Innovations Ltd.`; `nil` when the number isn't assigned.
    ///
    /// - Parameter company: a key of an advertisement's `manufacturerData`.
    public static func companyName(_ company: UInt16) -> String? {
        CompanyTable.table[company].map { String($0.rest) }
    }

    /// The name of a device's appearance, such as `Heart Rate Belt`.
    ///
    /// When the number itself has no name, the name of its category; `nil` when that has none, either.
    public static func appearanceName(_ appearance: UInt16) -> String? {
        let row = AppearanceTable.table[appearance] ?? AppearanceTable.table[appearance & ~0x3F]
        return row.map { String($0.rest) }
    }

    /// Finds a characteristic by its official name. Only letters and digits count: `Battery Level`, `battery-level` and
    /// `battery_level` are the same name.
    public static func characteristic(named name: String) -> BluetoothUUID? {
        number(named: name, in: CharacteristicTable.table)
    }

    /// Finds a service by its official name. Only letters and digits count, and `service` at the end doesn't.
    public static func service(named name: String) -> BluetoothUUID? {
        let ending = "service"
        return number(named: name, in: ServiceTable.table)
            ?? (name.lowercased().hasSuffix(ending)
                ? number(named: String(name.dropLast(ending.count)), in: ServiceTable.table) : nil)
    }

    /// The official name most similar to a misspelled one, for "did you mean"; `nil` when no name is similar.
    public static func closestCharacteristic(to name: String) -> String? {
        let wanted = name.lettersAndDigits
        var limit = min(3, max(1, wanted.count / 4))
        var closest: String?
        for row in CharacteristicTable.table.rows {
            let candidate = row[1].lettersAndDigits
            guard abs(candidate.count - wanted.count) <= limit else { continue }
            let distance = wanted.editDistance(to: candidate)
            guard distance < limit || distance == limit && closest == nil else { continue }
            limit = distance
            closest = String(row[1])
        }
        return closest
    }

    /// The official names of all characteristics, as one word each: `battery-level`.
    package static var characteristicNames: [String] {
        CharacteristicTable.table.rows.map { row in
            row[1].lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
        }
    }

    private static func number(named name: String, in table: TextTable) -> BluetoothUUID? {
        let wanted = name.lettersAndDigits
        guard !wanted.isEmpty else { return nil }
        return table.rows.first { $0[1].lettersAndDigits == wanted }?.number.map { BluetoothUUID($0) }
    }
}

extension StringProtocol {
    /// The characters that count in comparisons: digits, and ASCII letters in lower case.
    fileprivate var lettersAndDigits: [UInt8] {
        utf8.compactMap { $0.isLetter ? $0 | 0x20 : $0.isDigit ? $0 : nil }
    }
}
