// swift-format-ignore-file

/// The models that packets tell exactly, one per line: `format|length|place|digits|model`.
///
/// A packet has this length, if there is one, and these hexadecimal digits at this byte; `_` is any digit.
/// Sources: xiaomi-ble 1.21.2, qingping-ble 1.3.0, mopeka-iot-ble 1.0.0, pySwitchbot 3.1.0 (service data without its highest bit), and those in
/// `PlainFormatTable`. Victron's numbers are left out: there are more than 700.
enum BroadcastModelTable {
    static let text = """
        acconeer||0|80|XM122
        acconeer||0|90|XM126
        acconeer||0|91|XM126
        airmentor|8|||Pro 2
        airmentor|12|||2S
        aprilbrother|15|0|ab03|N03
        aprilbrother||0|0215|ABTemp
        aranet|21|||Aranet4
        aranet|22|||Aranet4
        aranet|24|0|01|Aranet2
        aranet|24|0|02|Aranet Radiation
        aranet|24|0|03|Aranet Radon Plus
        batterymonitor||2|655f|BM2
        batterymonitor||2|3ba2|BM6
        bluemaestro||0|0d|Tempo Disc T
        bluemaestro||0|16|Tempo Disc TH
        bluemaestro||0|17|Tempo Disc THD
        bluemaestro||0|1b|Tempo Disc THP
        feasycom||0|15|BP102
        feasycom||0|19|BP109
        feasycom||0|1a|BP103
        feasycom||0|1b|BP104
        feasycom||0|1c|BP201
        feasycom||0|1d|BP106
        feasycom||0|1e|BP101
        feasycom||0|24|BP120
        feasycom||0|27|BP108
        feasycom||0|28|BP108N
        feasycom||0|29|BP103B
        feasycom||0|46|BP104D
        kegtron|27|6|4_|KT-200
        kegtron|27|6|5_|KT-200
        kegtron|27|6|6_|KT-200
        kegtron|27|6|7_|KT-200
        kegtron|27|6|c_|KT-200
        kegtron|27|6|d_|KT-200
        kegtron|27|6|e_|KT-200
        kegtron|27|6|f_|KT-200
        kegtron|27|6|0_|KT-100
        kegtron|27|6|1_|KT-100
        kegtron|27|6|2_|KT-100
        kegtron|27|6|3_|KT-100
        kegtron|27|6|8_|KT-100
        kegtron|27|6|9_|KT-100
        kegtron|27|6|a_|KT-100
        kegtron|27|6|b_|KT-100
        mibeacon||2|3c0c|Alarm Clock CGC1
        mibeacon||2|7605|3-in-1 Alarm Clock CGD1
        mibeacon||2|6f06|Temperature/Humidity Sensor CGDK2
        mibeacon||2|4703|Temperature/Humidity Sensor CGG1
        mibeacon||2|480b|Temperature/Humidity Sensor CGG1
        mibeacon||2|d603|Door/Window Sensor CGH1
        mibeacon||2|d178|Door/Window Sensor MC-COMM
        mibeacon||2|830a|Motion/Light Sensor CGPR1
        mibeacon||2|bc03|Grow Care Garden GCLS002
        mibeacon||2|9800|Plant Sensor HHCCJCY01
        mibeacon||2|5d01|Smart Flower Pot HHCCPOT002
        mibeacon||2|df02|Formaldehyde Sensor JQJCY01YM
        mibeacon||2|9709|Smoke Detector JTYJGD03MI
        mibeacon||2|6815|Switch (single button) K9B-1BTN
        mibeacon||2|6915|Switch (double button) K9B-2BTN
        mibeacon||2|fd0d|Switch (triple button) K9B-3BTN
        mibeacon||2|101c|Switch (single button) K9BB-1BTN
        mibeacon||2|613a|Switch (quadruple button) KS1
        mibeacon||2|173e|Switch (quadruple button) KS1BP
        mibeacon||2|8918|Door/Window Sensor MS1BB(MI)
        mibeacon||2|eb2a|Motion Sensor HS1BB(MI)
        mibeacon||2|0f3f|Flood and Rain Sensor RS1BB(MI)
        mibeacon||2|4c3f|Seat Pressure Sensor PS1BB
        mibeacon||2|aa01|Temperature/Humidity Sensor LYWSDCGQ
        mibeacon||2|5b04|Temperature/Humidity Sensor LYWSD02
        mibeacon||2|e416|Temperature/Humidity Sensor LYWSD02MMC
        mibeacon||2|4225|Temperature/Humidity Sensor LYWSD02MMC
        mibeacon||2|5b05|Temperature/Humidity Sensor LYWSD03MMC
        mibeacon||2|3228|Temperature/Humidity Sensor MJWSD05MMC
        mibeacon||2|474c|Temperature/Humidity Sensor MJWSD05MMC
        mibeacon||2|b555|Temperature/Humidity Sensor MJWSD06MMC
        mibeacon||2|ea5b|Temperature/Humidity Sensor MJWSD06MMC
        mibeacon||2|b15d|Temperature/Humidity Sensor MBS17
        mibeacon||2|1277|Water Leak Sensor zhiee.flood.sj01
        mibeacon||2|db78|Temperature/Humidity Sensor ESM787
        mibeacon||2|8b09|Door/Window Sensor MCCGQ02HL
        mibeacon||2|d306|Alarm Clock MHO-C303
        mibeacon||2|8703|Temperature/Humidity Sensor MHO-C401
        mibeacon||2|f607|Nightlight MJYD02YL
        mibeacon||2|e904|Door Lock MJZNMSQ01YD
        mibeacon||2|db00|Baby Thermometer MMC-T201-1
        mibeacon||2|9103|Body Thermometer MMC-W505
        mibeacon||2|dd03|Nightlight MUE4094RT
        mibeacon||2|8904|Smart Toothbrush M1S-T500
        mibeacon||2|0608|Smart Toothbrush T700
        mibeacon||2|9017|Smart Toothbrush T700
        mibeacon||2|8d0a|Motion Sensor RTCGQ02LM
        mibeacon||2|3135|Motion Sensor XMPIRO2SXS
        mibeacon||2|604c|Motion Sensor XMPIRO2GSXS
        mibeacon||2|8346|Occupancy Sensor XMOSB01XS
        mibeacon||2|6308|Flood Detector SJWS01LM
        mibeacon||2|7563|Water Leak Sensor 2 SJWS02LM
        mibeacon||2|5c04|Smart Kettle V-SK152
        mibeacon||2|0a04|Mosquito Repellent WX08ZM
        mibeacon||2|e104|Magic Cube XMMF01JQD
        mibeacon||2|0312|Thermometer XMWSDJ04MMC
        mibeacon||2|4919|Switch (double button) XMWXKG01YL
        mibeacon||2|8723|Button XMWXKG01LM
        mibeacon||2|8c09|Door Lock XMZNMST02YD
        mibeacon||2|b009|Safe Box loock.safe.v1
        mibeacon||2|9905|Door Lock MJZNMS03LM
        mibeacon||2|8407|Door Lock XMZNMS04LM
        mibeacon||2|390e|Door Lock XMZNMS08LM
        mibeacon||2|bf07|Wireless Switch YLAI003
        mibeacon||2|bb38|Wireless Switch PTX_YK1_QMIMB
        mibeacon||2|a378|Wireless Switch AFWXKG220000
        mibeacon||2|5301|Remote Control YLYK01YL
        mibeacon||2|8e06|Fan Remote Control YLYK01YL-FANCL
        mibeacon||2|e604|Ventilator Fan Remote Control YLYK01YL-VENFAN
        mibeacon||2|bf03|Bathroom Heater Remote YLYB01YL-BHFRC
        mibeacon||2|b603|Dimmer Switch YLKG07YL/YLKG08YL
        mibeacon||2|8300|Smart Kettle YM-K1501
        mibeacon||2|1301|Smart Kettle YM-K1501EU
        mibeacon||2|9e06|Door Lock ZNMS16LM
        mibeacon||2|9f06|Door Lock ZNMS17LM
        mibeacon||2|8003|Door Lock DSL-C08
        mibeacon||2|c211|Door Lock Lockin-SV40
        mibeacon||2|e70d|Odor Eliminator SU001-T
        mibeacon||2|d930|Body Composition Scale MJTZC01YM
        mibeacon||2|d53b|Body Composition Scale MJTZC01YM
        mibeacon||2|c945|Smart Scale S200 MJTZC02YM
        mibeacon||2|cf48|Body Composition Scale MJTZC01YM
        mibeacon||2|044c|Smart Scale S200 MJTZC02YM
        mibeacon||2|cb4d|Smart Scale S200 MJTZC02YM
        mibeacon||2|054b|Body Composition Scale MJTZC03YM
        mibeacon||2|c24f|Body Composition Scale MJTZC01YM
        mibeacon||2|594f|Temperature/Humidity Sensor CGDK3
        mibeacon||2|fb50|Human Presence Sensor ES3
        mibeacon||2|0b52|Temperature/Humidity Sensor with Button KS2BB
        mibeacon||2|6859|Switch (double button) XMWS01XS
        mibeacon||2|fa59|Smart Band 10 M2457B1
        mibeacon||2|fb59|Smart Band 10 NFC M2456B1
        mibeacon||2|fc59|Smart Band 10 Ceramic Edition M2456B1
        mibeacon||2|8861|Smart Band 10 Glimmer Edition M2456B1
        mibeacon||2|0f6a|Human Presence Sensor ES5BB
        mikrotik||||TG-BT5
        mopeka|10|0|03|Pro Check M1017
        mopeka|10|0|04|Pro-200
        mopeka|10|0|05|Pro Check H2O Pro H20
        mopeka|10|0|06|Lippert BottleCheck M1017
        mopeka|10|0|08|Pro Plus M1015
        mopeka|10|0|09|Pro Plus with Cellular M1015
        mopeka|10|0|0a|TD40/TD200
        mopeka|10|0|0b|TD40/TD200 with Cellular
        mopeka|10|0|0c|Pro Check Universal M1017
        mopeka|10|0|12|Pro-200B
        oras|18|||Smart faucet
        oras|19|||Hydractiva Digital
        qingping||1|01|CGG1
        qingping||1|04|Door/Window Sensor CGH1
        qingping||1|07|CGG1
        qingping||1|09|CGP1W
        qingping||1|0c|Alarm Clock CGD1
        qingping||1|0e|Air Monitor Lite CGDN1
        qingping||1|0f|Lee Guitars Thermo-Hygrometer CGM1
        qingping||1|10|Temp & RH Monitor Lite CGDK2
        qingping||1|12|Motion & Light CGPR1
        qingping||1|15|Temp RH Pro E CGF1W
        qingping||1|16|Temp RH M CGG1
        qingping||1|18|Temp & RH Monitor Pro CGP23W
        qingping||1|1e|BT Clock Lite CGC1
        qingping||1|24|Air Monitor Lite CGDN1
        qingping||1|26|Temp RH Baro Pro S CGP23W
        qingping||1|33|CO2 Temp RH CGP22C
        qingping||1|4f|Temp RH M CGG3
        qingping||1|5d|CO2 Temp RH CGP22C
        qingping||1|52|Indoor Environment Monitor CGR1PC
        qingping||1|62|Indoor Environment Monitor CGR1PC
        ruuvi||0|03|RuuviTag
        ruuvi||0|05|RuuviTag
        ruuvi||0|06|Ruuvi Air
        ruuvi||0|e1|Ruuvi Air
        switchbot||0|64|Contact Sensor
        switchbot||0|44|Contact Sensor
        switchbot||0|48|Bot
        switchbot||0|73|Motion Sensor
        switchbot||0|53|Motion Sensor
        switchbot||0|72|Light Strip
        switchbot||0|52|Light Strip
        switchbot||0|7b|Curtain 3
        switchbot||0|5b|Curtain 3
        switchbot||0|63|Curtain
        switchbot||0|43|Curtain
        switchbot||0|77|Indoor/Outdoor Thermo-Hygrometer
        switchbot||0|57|Indoor/Outdoor Thermo-Hygrometer
        switchbot||0|69|Meter Plus
        switchbot||0|49|Meter Plus
        switchbot||0|54|Meter
        switchbot||0|74|Meter
        switchbot||0|34|Meter Pro
        switchbot||0|14|Meter Pro
        switchbot||0|35|Meter Pro CO2
        switchbot||0|15|Meter Pro CO2
        switchbot||0|76|Hub 2
        switchbot||0|56|Hub 2
        switchbot||0|67|Plug Mini (US)
        switchbot||0|47|Plug Mini (US)
        switchbot||0|6a|Plug Mini (JP)
        switchbot||0|4a|Plug Mini (JP)
        switchbot||0|75|Color Bulb
        switchbot||0|55|Color Bulb
        switchbot||0|71|Ceiling Light
        switchbot||0|51|Ceiling Light
        switchbot||0|6e|Ceiling Light Pro
        switchbot||0|4e|Ceiling Light Pro
        switchbot||0|65|Humidifier
        switchbot||0|45|Humidifier
        switchbot||0|23|Evaporative Humidifier
        switchbot||0|03|Evaporative Humidifier
        switchbot||0|6f|Lock
        switchbot||0|4f|Lock
        switchbot||0|24|Lock Pro
        switchbot||0|04|Lock Pro
        switchbot||0|78|Blind Tilt
        switchbot||0|58|Blind Tilt
        switchbot||0|26|Leak Detector
        switchbot||0|06|Leak Detector
        switchbot||0|79|Keypad
        switchbot||0|59|Keypad
        switchbot||0|3c|Relay Switch 1PM
        switchbot||0|1c|Relay Switch 1PM
        switchbot||0|3b|Relay Switch 1
        switchbot||0|1b|Relay Switch 1
        switchbot||0|62|Remote
        switchbot||0|42|Remote
        switchbot||0|07|Universal Remote
        switchbot||0|27|Universal Remote
        switchbot||0|2c|Roller Shade
        switchbot||0|0c|Roller Shade
        switchbot||0|25|Hub Mini Matter
        switchbot||0|05|Hub Mini Matter
        switchbot||0|7e|Circulator Fan
        switchbot||0|5e|Circulator Fan
        switchbot||0|2e|K20 Vacuum
        switchbot||0|0f|K20 Vacuum
        switchbot||0|7a|S10 Vacuum
        switchbot||0|5a|S10 Vacuum
        switchbot||0|33|K10+ Pro Combo Vacuum
        switchbot||0|13|K10+ Pro Combo Vacuum
        switchbot||0|7d|K10+ Vacuum
        switchbot||0|5d|K10+ Vacuum
        switchbot||0|28|K10+ Pro Vacuum
        switchbot||0|08|K10+ Pro Vacuum
        switchbot||0|2a|Air Purifier US
        switchbot||0|0a|Air Purifier US
        switchbot||0|2b|Air Purifier JP
        switchbot||0|0b|Air Purifier JP
        switchbot||0|37|Air Purifier Table US
        switchbot||0|17|Air Purifier Table US
        switchbot||0|38|Air Purifier Table JP
        switchbot||0|18|Air Purifier Table JP
        switchbot||0|2d|Lock Lite
        switchbot||0|0d|Lock Lite
        switchbot||0|3e|Garage Door Opener
        switchbot||0|1e|Garage Door Opener
        switchbot||0|3d|Relay Switch 2PM
        switchbot||0|1d|Relay Switch 2PM
        switchbot||0|3f|Plug Mini (EU)
        switchbot||0|1f|Plug Mini (EU)
        thermobeacon|17|||T201 or T301
        tilt||5|10|Tilt Red
        tilt||5|20|Tilt Green
        tilt||5|30|Tilt Black
        tilt||5|40|Tilt Purple
        tilt||5|50|Tilt Orange
        tilt||5|60|Tilt Blue
        tilt||5|70|Tilt Yellow
        tilt||5|80|Tilt Pink
        xiaogui|13|6|20|TZC4
        xiaogui|13|6|21|TZC4
        xiaogui|13|6|30|TZC4
        xiaogui|13|6|31|TZC4
        xiaogui|13|6|24|QJ-J
        xiaogui|13|6|25|QJ-J
        xiaomiscale|10|||Mi Smart Scale XMTZC01HM or XMTZC04HM
        xiaomiscale|13|||Mi Body Composition Scale XMTZC02HM or XMTZC05HM
        """

    private struct Row {
        let size: Int?
        let place: Int
        let digits: [UInt8]
        let model: String
    }

    private static let rows: [BroadcastFormat: [Row]] = text.split(separator: "\n").reduce(into: [:]) { rows, line in
        let columns = line.split(separator: "|", omittingEmptySubsequences: false)
        guard columns.count == 5, let format = BroadcastFormat(rawValue: String(columns[0])) else { return }
        rows[format, default: []].append(
            Row(
                size: Int(columns[1]), place: Int(columns[2]) ?? 0, digits: Array(columns[3].utf8),
                model: String(columns[4])))
    }

    /// Returns the model that a packet tells; `nil` when it tells none.
    static func model(of format: BroadcastFormat, packet: [UInt8], service: BluetoothUUID?) -> String? {
        guard let rows = rows[format], !packet.isEmpty, format != .switchbot || service != nil else { return nil }
        var packet = packet
        if format == .switchbot { packet[0] &= 0x7F }
        let digits = Array(String(hex: packet).utf8)
        return rows.first { row in
            let own = digits.dropFirst(2 * row.place)
            return row.size ?? packet.count == packet.count && own.count >= row.digits.count
                && zip(row.digits, own).allSatisfy { $0 == UInt8(ascii: "_") || $0 == $1 }
        }?.model
    }
}
