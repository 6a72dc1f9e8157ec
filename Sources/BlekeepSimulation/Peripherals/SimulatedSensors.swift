import BlekeepRecords

/// Sensors of the shops, which advertise 21.5 °C and 45 % if they measure these, and always the same packets.
package enum SensorTable {
    /// One line for each: its number, a format that it shows, its name, the service that it advertises, and its packets.
    ///
    /// Packets are hexadecimal digits behind `company` or `service` and its number. `address` and `reversed` stand for the
    /// device's address, forwards and backwards. The packets of `Boat` are encrypted with its `key`.
    package static let text = """
        3|bthome|Window||service fcd2 4401642d00
        4|eddystone|Beacon||service feaa 20000bb8158000000009 00000384
        6|atc|Cellar||service 181a reversed 66089411a10b540100
        7|mibeacon|Kitchen||service fe95 40505b04010d1004d700c201
        8|govee|GVH5075_0008||company ec88 0003499a6400
        9|thermopro|TP357 (0009)||company d7c2 002d022c
        10|inkbird|sps||company 0866 94110012345508
        11|qingping|Shed||service fdcd 0810 reversed 0104d700c201020155
        12|switchbot|Garage||company 0969 address 010005952d; service fd3d 540064
        13|mopeka|Tank|fee5|company 0059 035c3de8c3aabbcc0000
        14|ibeacon|Badge||company 004c 0215 07070707070707070707070707070707 00010002c5
        15|victron|Boat||company 02e1 100289a3020100070c148b4094a1eb73911dcb332fab55
        16|oralb|Toothbrush||company 00dc 0631000372010e00020004
        17|thermobeacon|Bedroom|fff0|company 0011 0000 reversed b80b5801d00201000000
        18|sensorpush|SensorPush HT.w 0018||company 6804 17d046
        19|aranet|Aranet4 00019||company 0702 21130401000c0f012602ae016a272d5a013c000a0007
        20|tilt|Wine||company 004c 0215a495bb10c5b14b44b5121370f02d74de00470424c5
        21|rapt|Pill||company 4152 5054020000000000009353448200000000000000005500
        22|sensirion|MyCO2||company 06d5 00080016476133732602
        23|bluemaestro|Tempo Disc||company 0133 17540e10000900d701c2005a0100
        24|jaalee|Jaalee||service f525 64 reversed 61477333
        25|kkm|Cave||service feaa 2101070ba115802d00
        26|moko|Pallet||service feab 70000a00d701c20ba100
        27|inode|Meter||company 8290 0400cfe40000dc05b00000
        28|mocreo|MOCREO||company 8311 008064006608941100
        29|ela|P RHT 000029||service 2a6e 6608; service 2a6f 2d
        30|teltonika|EYE||company 089a 018308662d62
        31|relsib|ECo||service aa21 660894112602 00000000000000000000000000000000
        32|bparasite|Basil||service 181a 20050ba1086673337333 address
        33|flowercare|Orchid||service fd50 2d00d700012c62015e
        34|xiaomiscale|MIBFS||service 181b 0226ea0701010800 00f401983a
        35|switchbot|Curtain||service fd3d 634053141104
        36|hobo|Well||company 00c5 07000000000000000000000000000000 0000003f
        38|acconeer|Hallway||company acc0 916400160001000000000000000000
        39|airmentor|Office||company 6121 02260009000c0000000a0000
        40|almendo|Studio||company 06e8 01000a00000000 6608 9411 2602 6400 1e
        41|altbeacon|Pier||company ffff beac 07070707070707070707070707070707 00010002c500
        42|amazfit|Mi Smart Band 4||company 0157 02020148ffffffffffffffffffffffffff03 address; service fee0 2e0d0000
        43|aprilbrother|Porch||service fe95 ab03 address 64 ac00 5a00 5e01
        44|batterymonitor|Car||company 004c 0215655f83caae16a10a702e31f30d58dd82 000000005f
        45|beewi|Hatch||company 000d 080c01065a
        46|chefiq|CQ60||company 05cd 0150 d700 6c02 6c02 5802 3002 1402
        47|feasycom|Luggage||service fff0 27021992 address 5a
        48|garnet|Camper||company 0cc0 910400 1900006e6e6e6e6e 820000
        49|holyiot|Crate||service 5242 415a address 0000 011532
        50|hormann|Gate||company 07b4 14c800000000000000efbbafa9d1a73b04
        51|kegtron|Keg||company ffff 49ef138802e251326e6420506f7274000000000000000000000000
        52|laica|AAA002||company a0ac a02bbe5e91a0a0a1ba700dbf
        53|mikrotik|Trolley||company 094f 010010a90000fdff000180156be866000062
        54|moat|Moat_S2||service 1000 00112233445566778899 9463 7368 540b
        55|nodon|NIU||service 0000 02599c37d90287a52152000660259003
        56|oras|Basin||company 0131 005a 00000000000000000000000000000000
        57|otodata|Propane||company 03b1 4f544f54454c450200 4c1d 0000 366e0f000000
        58|polar|Polar H10||company 006b 2b000048
        59|skale|Skale||company 81ef d70400ff
        60|smartdry|Laundry||company 01ae 0000ac41 00003442 0c00 6201
        61|tpms|Tyre||company 0100 address 11fc0300 66080000 5300
        62|xiaogui|Bathroom||company 7dc0 1c4813880a0125 address
        63|xoss|X2||company ff04 0161063f
        """

    /// The key of a sensor of this name: of `Boat`, a battery monitor of Victron; `nil` for all others.
    package static func key(of name: String) -> AdvertisementKey? {
        name == "Boat" ? AdvertisementKey(hex: "07070707070707070707070707070707") : nil
    }

    package struct Row: Sendable {
        package let number: Int
        package let format: BroadcastFormat
        package let name: String
        package let advertised: [BluetoothUUID]
        fileprivate let packets: Substring
    }

    /// The rows; a line that isn't in the notation has none, which a test finds.
    package static var rows: [Row] { text.split(separator: "\n").compactMap(Row.init) }
}

extension SensorTable.Row {
    fileprivate init?(_ line: Substring) {
        let columns = line.split(separator: "|", omittingEmptySubsequences: false)
        guard columns.count == 5, let number = Int(columns[0]),
            let format = BroadcastFormat(rawValue: String(columns[1]))
        else { return nil }
        (self.number, self.format) = (number, format)
        name = String(columns[2])
        advertised = BluetoothUUID(String(columns[3])).map { [$0] } ?? []
        packets = columns[4]
    }

    package func data(from address: BluetoothAddress) -> SimulatedBroadcast {
        var data = SimulatedBroadcast()
        for packet in packets.split(separator: ";") {
            let words = packet.split(separator: " ")
            guard words.count > 2, let number = UInt16(words[1], radix: 16) else { continue }
            let digits = words.dropFirst(2).map { word in
                switch word {
                case "address": String(hex: address.bytes)
                case "reversed": String(hex: address.bytes.reversed())
                default: String(word)
                }
            }
            guard let bytes = [UInt8](hex: digits.joined()) else { continue }
            if words[0] == "company" {
                data.manufacturerData[number] = bytes
            } else {
                data.serviceData[BluetoothUUID(number)] = bytes
            }
        }
        return data
    }

    func peripheral(_ address: BluetoothAddress) -> SimulatedPeripheral {
        let data = data(from: address)
        var peripheral = SimulatedPeripheral(
            name, address, advertised: advertised, manufacturerData: data.manufacturerData,
            serviceData: data.serviceData, rssi: -70, acquaintance: .none, services: [])
        peripheral.sendsFlags = !Self.withoutFlags.contains(format)
        return peripheral
    }

    /// The formats whose devices send no flags, in recorded packets.
    private static let withoutFlags: Set<BroadcastFormat> = [.atc, .mikrotik, .relsib, .xiaogui]
}
