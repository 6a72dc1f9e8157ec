// swift-format-ignore-file

/// The advertising formats whose values have fixed places, by maker, in the notation of `PacketLayout`.
///
/// The sources are the parsers of Home Assistant's family on PyPI, of Theengs (github.com/theengs/decoder at d6fdd205), and of
/// ble_monitor (github.com/custom-components/ble_monitor at 56902202), and what the makers published where one is named.
enum PlainFormatTable {
    /// The tanks of Garnet's sensors by their number, and the temperatures, in tens of °F and °F.
    private static let garnetTanks: String = [
        "fresh_tank", "black_tank", "grey_tank", "lpg_tank", "lpg_tank_2", "galley_tank", "galley_tank_2", "", "", "", "",
        "chemical_tank", "chemical_tank_2",
    ].enumerated().filter { $0.element != "" }.map { number, name in
        let digits = "\(name) uint8 @6 +-48 +_tens % ?_sensor=\(number) ?_first<58"
        return digits + "; \(name) uint8 @4 69=error 79=open % ?_sensor=\(number) ?_first≥58"
    }.joined(separator: "; ")
    private static let garnetTemperatures: String = (7...10).map { number in
        "temperature_\(number - 6) uint8 @6 *50e-1 ÷9 +-44.4444444 °C +_hot_tens ?_sensor=\(number) ?_first<58 ?_first≠45"
    }.joined(separator: "; ")
    private static let moat: String = """
        temperature uint16 @10 *17572e-2 ÷65536 +-46.85 °C; humidity uint16 @12 *125 ÷65536 +-6 %
          battery_voltage uint16 @14 *1e-3 V; battery uint16 @14 ~2100:0,2440:6,2740:18,2900:42,3000:100 %
        """

    static let texts: [BroadcastFormat: String] = [
        // README of pvvx/ATC_MiThermometer: pvvx's format, then atc1441's. The encrypted ones are in ATC.swift.
        .atc: """
            service 181a; 15 bytes; reversed address at 0
              temperature sint16 @6 *1e-2 °C; humidity uint16 *1e-2 %; battery_voltage uint16 *1e-3 V; battery uint8 %
              packet_id uint8
            service 181a; 13 bytes; address at 0; big endian
              temperature sint16 @6 *1e-1 °C; humidity uint8 %; battery uint8 %; battery_voltage uint16 *1e-3 V
              packet_id uint8
            """,

        // oralb-ble 1.1.3. The modes are those of the Smart and Genius series; iO's follow. A sector has three bits, beside some of the
        // display; 7 is the last one.
        .oralb: """
            company 00dc; 9, 11 bytes
              toothbrush_state uint8 @3 0:unknown 1:initializing 2:idle 3:running 4:charging 5:setup 6:flight_menu \
                8:selection_menu 9:off 10:statistics 113:final_test 114:pcb_test 115:sleeping 116:transport
              brushing uint8 @3 *0 bool ?toothbrush_state≠running
              brushing uint8 @3 bool ?toothbrush_state=running
              pressure_code uint8 @4
              _status uint8 @4
              pressure_high bit @4.7
              button_pressed bit @4.2
              power_button_pressed bit @4.3
              _minutes uint8 @5 *60
              duration uint8 @6 +_minutes s
              _series uint4 @1.4
              brushing_mode uint8 @7 0:off 1:daily_clean 2:sensitive 3:massage 4:whitening 5:deep_clean \
                6:tongue_cleaning 7:turbo 255:unknown ?_series≠3
              brushing_mode uint8 @7 0:daily_clean 1:sensitive 2:gum_care 3:whiten 4:intense 5:super_sensitive \
                6:tongue_cleaning 8:settings 9:off 11:smart_adapt ?_series=3
              _sector uint3 @8.0
              sector uint3 @8.0 0:none ?_sector<7
              sector uint3 @8.0 7:4 ?_sector=7 ?size<11
              sector uint3 @10.0 0:4 ?_sector=7 ?size≥11
              sector_timer uint8 @9 s ?size≥11
              number_of_sectors uint8 @10 ?size≥11
            """,

        // thermobeacon-ble 1.0.0: WS02, WS08 and other round ones; the second kind of packet has the extremes. T201 and T301: Theengs.
        .thermobeacon: """
            company 0010, 0011, 0014, 0015, 0018, 001b, 0030; 18 bytes; reversed address at 2
              button_pressed bit @1.7
              battery_voltage uint16 @8 *1e-3 V
              battery uint16 @8 ~2449:0,2450:20,2500:40,2600:60,3000:100 %
              temperature sint16 @10 ÷16 °C
              humidity uint16 @12 ÷16 %
              uptime uint32 @14 s
            company 0010, 0011, 0014, 0015, 0018, 001b, 0030; 20 bytes; reversed address at 2
              maximum_temperature sint16 @8 ÷16 °C
              maximum_uptime uint32 @10 s
              minimum_temperature sint16 @14 ÷16 °C
              minimum_uptime uint32 @16 s
            company aa55; 17 bytes or more; address at 2; big endian
              battery_voltage uint16 @8 *1e-2 V
              temperature sint16 @10 *1e-2 °C
              humidity uint16 @12 *1e-2 %
              battery uint8 @14 %
            """,

        // aranet4 2.6.0. The sensors advertise values while "Smart Home integration" is on.
        .aranet: """
            company 0702; 21, 22 bytes
              co2 uint16 @8 ppm 0...32767
              temperature uint16 @10 *5e-2 °C 0...16383
              pressure uint16 @12 *10 Pa 0...32767
              humidity uint8 @14 %
              battery uint8 @15 %
              level uint8 @16 1:green 2:yellow 3:red
              interval uint16 @17 s
              age uint16 @19 s
            company 0702; 24 bytes; starts 01
              _unused uint16 @8
              temperature uint16 @10 *5e-2 °C 0...16383
              humidity uint16 @14 *1e-1 % 0...32767
              battery uint8 @17 %
              interval uint16 @19 s
              age uint16 @21 s
            company 0702; 24 bytes; starts 02
              radiation_total uint32 @6 nSv
              radiation_duration uint32 @10 s
              radiation_rate uint16 @14 nSv/h
              battery uint8 @17 %
              interval uint16 @19 s
              age uint16 @21 s
            company 0702; 24 bytes; starts 03
              radon uint16 @8 Bq/m³ 0...7935
              temperature uint16 @10 *5e-2 °C 0=unknown 0...16383
              pressure uint16 @12 *10 Pa 0...32767
              humidity uint16 @14 *1e-1 % 0=unknown 0...32767
              battery uint8 @17 %
              level uint8 @18 1:green 2:yellow 3:red
              interval uint16 @19 s
              age uint16 @21 s
            """,

        // The user's manual of iBeacon-based hydrometers; tilt-ble 1.0.1. A Tilt Pro has a gravity from 5000 on.
        .tilt: """
            company 004c; 23 bytes or more; starts 0215a495bb__c5b14b44b5121370f02d74de; big endian
              color uint8 @5 16:red 32:green 48:black 64:purple 80:orange 96:blue 112:yellow 128:pink
              _gravity uint16 @20
              temperature uint16 @18 *5 ÷9 +-17.77777777777778 °C ?_gravity<5000
              specific_gravity uint16 @20 *1e-3 ?_gravity<5000
              temperature uint16 @18 *5 ÷90 +-17.77777777777778 °C ?_gravity≥5000
              specific_gravity uint16 @20 *1e-4 ?_gravity≥5000
              tx_power sint8 @22 dBm
            """,

        // rapt-ble 2.0.0, which follows gitlab.com/rapt.io/public.
        .rapt: """
            company 4152; 23 bytes; starts 505401; big endian
              temperature uint16 @9 *1 ÷128 +-273.15 °C
              specific_gravity float32 @11 *1e-3
              acceleration_x sint16 @15 ÷16
              acceleration_y sint16 @17 ÷16
              acceleration_z sint16 @19 ÷16
              battery uint16 @21 ÷256 %
            company 4152; 23 bytes; starts 505402; big endian
              _valid uint8 @4
              gravity_velocity float32 @5 ?_valid≠0
              temperature uint16 @9 *1 ÷128 +-273.15 °C
              specific_gravity float32 @11 *1e-3
              acceleration_x sint16 @15 ÷16
              acceleration_y sint16 @17 ÷16
              acceleration_z sint16 @19 ÷16
              battery uint16 @21 ÷256 %
            """,

        // Theengs: car battery monitors, in an iBeacon. The rest needs a connection.
        .batterymonitor: """
            company 004c; 23 bytes or more; starts 0215655f83caae16a10a702e31f30d58dd82
              battery uint8 @22 %
            company 004c; 23 bytes or more; starts 02153ba29cd9a42c894856badaf2606ef777
              battery uint8 @19 %
            """,

        // Sensirion's table, ble-ad-sample-types.yml in github.com/Sensirion/ble-services at 423a74c7. The byte behind the 0 says
        // which values follow.
        .sensirion: """
            company 06d5; 8 bytes or more; starts 0003
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; voc_index uint16
            company 06d5; 8 bytes or more; starts 0004
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %
            company 06d5; 8 bytes or more; starts 0006
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *125 ÷65535 +-6 %
            company 06d5; 10 bytes or more; starts 0008
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
            company 06d5; 10 bytes or more; starts 000a
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
            company 06d5; 12 bytes or more; starts 000c
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
              pm2_5 uint16 *1000 ÷65535 µg/m³
            company 06d5; 10 bytes or more; starts 000e
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; formaldehyde uint16 ÷5 ppb
            company 06d5; 12 bytes or more; starts 0010
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; voc_index uint16
              pm2_5 uint16 *1000 ÷65535 µg/m³
            company 06d5; 16 bytes or more; starts 0014
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
              voc_index uint16; pm2_5 uint16 *1000 ÷65535 µg/m³; formaldehyde uint16 ÷5 ppb
            company 06d5; 12 bytes or more; starts 0016
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; voc_index uint16; nox_index uint16
            company 06d5; 14 bytes or more; starts 0018
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; voc_index uint16; nox_index uint16
              pm2_5 uint16 *1e-1 µg/m³
            company 06d5; 16 bytes or more; starts 001a
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
              voc_index uint16; nox_index uint16; pm2_5 uint16 *1e-1 µg/m³
            company 06d5; 12 bytes or more; starts 001c
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
              pm2_5 uint16 *1e-1 µg/m³
            company 06d5; 12 bytes or more; starts 001e
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; voc_index uint16
              pm2_5 uint16 *1e-1 µg/m³
            company 06d5; 16 bytes or more; starts 0020
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; co2 uint16 ppm
              voc_index uint16; pm2_5 uint16 *1e-1 µg/m³; formaldehyde uint16 ÷5 ppb
            company 06d5; 12 bytes or more; starts 0022
              pm1 uint16 @4 *1e-1 µg/m³; pm2_5 uint16 *1e-1 µg/m³; pm4 uint16 *1e-1 µg/m³; pm10 uint16 *1e-1 µg/m³
            company 06d5; 6 bytes or more; starts 0024
              co2 uint16 @4 ppm
            company 06d5; 8 bytes or more; starts 0026
              air_speed uint16 @4 *1024 ÷65535 m/s; temperature uint16 *175 ÷65535 +-45 °C
            company 06d5; 12 bytes or more; starts 0028
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *125 ÷65535 +-6 %; hydrogen uint16 *1e-2 %
              pressure uint16 *100 Pa
            company 06d5; 10 bytes or more; starts 002a
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; pm2_5 uint16 *1e-1 µg/m³
            company 06d5; 16 bytes or more; starts 002c
              temperature uint16 @4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; formaldehyde uint16 ÷5 ppb
              voc_index uint16; nox_index uint16; pm2_5 uint16 *1e-1 µg/m³
            """,

        // bluemaestro-ble 1.2.0; the Pebble of version 1: ble_monitor.
        .bluemaestro: """
            company 0133; 13 bytes or more; starts 01
              temperature sint16 @3 *1e-1 °C; humidity uint8 @7 %; pressure uint16 @8 *100 Pa
            company 0133; 8 bytes or more; starts 08; big endian
              battery uint8 @1 %; temperature sint16 @6 *1e-1 °C
            company 0133; 8 bytes or more; starts 0d; big endian
              battery uint8 @1 %; temperature sint16 @6 *1e-1 °C
            company 0133; 12 bytes or more; starts 16; big endian
              battery uint8 @1 %; temperature sint16 @6 *1e-1 °C; humidity uint16 *1e-1 %; dew_point sint16 *1e-1 °C
            company 0133; 12 bytes or more; starts 17; big endian
              battery uint8 @1 %; temperature sint16 @6 *1e-1 °C; humidity uint16 *1e-1 %; dew_point sint16 *1e-1 °C
            company 0133; 12 bytes or more; starts 1b; big endian
              battery uint8 @1 %; temperature sint16 @6 *1e-1 °C; humidity uint16 *1e-1 %; pressure uint16 *10 Pa
            company 0133; 17 bytes or more; starts 29
              battery uint8 @1 %; temperature sint16 @15 *1e-2 °C
            company 0133; 19 bytes or more; starts 2a
              battery uint8 @1 %; temperature sint16 @15 *1e-2 °C; humidity sint16 *1e-2 %
            company 0133; 23 bytes or more; starts 2b
              battery uint8 @1 %; temperature sint16 @15 *1e-2 °C; humidity sint16 *1e-2 %; pressure sint32 Pa
            """,

        // Theengs; ble_monitor. In service data, or in an iBeacon.
        .jaalee: """
            service f525, f51c; 26 bytes; starts 4c000215ebefd08370a247c89837e7b5634d; big endian
              temperature uint16 @20 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; battery uint8 @25 %
            company 004c; 24 bytes; starts 0215ebefd08370a247c89837e7b5634d; big endian
              temperature uint16 @18 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %; battery uint8 @23 %
            service f525, f51c; 11, 12 bytes; reversed address at 1; big endian
              battery uint8 @0 %; temperature uint16 @-4 *175 ÷65535 +-45 °C; humidity uint16 *100 ÷65535 %
            """,

        // Theengs; ble_monitor: K6P, K9, and the KSensor frames of BlueCharm. The third byte says which values follow.
        .kkm: """
            service feaa; 5 bytes or more; starts 2101; big endian
              _flags uint8 @2
              battery_voltage uint16 *1e-3 V ?0
              temperature sint16 ÷256 °C ?1
              humidity uint16 ÷256 % ?2
              acceleration_x sint16 *1e-3 gₙ ?3
              acceleration_y sint16 *1e-3 gₙ ?3
              acceleration_z sint16 *1e-3 gₙ ?3
            """,

        // Theengs: BeaconX Pro, and the beacon of service FF01.
        .moko: """
            service feab; 5 bytes or more; starts 40; big endian
              battery_voltage uint16 @3 *1e-3 V
            service ff01; 13 bytes or more; big endian
              battery uint8 @0 %
              acceleration_x sint16 @7 *1e-4 gₙ; acceleration_y sint16 *1e-4 gₙ; acceleration_z sint16 *1e-4 gₙ
            service feab; 14 bytes or more; starts 60; big endian
              acceleration_x sint16 @6 *1e-4 gₙ; acceleration_y sint16 *1e-4 gₙ; acceleration_z sint16 *1e-4 gₙ
              battery_voltage uint16 *1e-3 V
            service feab; 9 bytes or more; starts 70; big endian
              temperature sint16 @3 *1e-1 °C; humidity uint16 *1e-1 %; battery_voltage uint16 *1e-3 V
            """,

        // ble_monitor. The number's high byte is the model: ST5, SW2, ST6, ST8 to ST10, MS1 to MS3; then ST7.
        .mocreo: """
            company 81__, 84__, 87__, 8b__, 94__, 96__; 9 bytes or more; named MOCREO
              battery uint7 @2.0 %; temperature sint16 @4 *1e-2 °C
            company 83__, 86__; 9 bytes or more; named MOCREO
              battery uint7 @2.0 %; temperature sint16 @4 *1e-2 °C; humidity uint16 *1e-2 %
            company 82__; 9 bytes or more; named MOCREO
              battery uint7 @2.0 %; moisture_detected bit @8.0
            company 004a; 14 bytes; named ST7; starts ____________10
              battery uint7 @9.0 %; temperature sint16 @10 *1e-2 °C
            """,

        // ELA's Blue Pucks and Coins, which Teltonika and Sensor Easy sell as well: the values of GATT as service data. Theengs; ble_monitor.
        .ela: """
            service 2a6e; 2 bytes
              temperature sint16 *1e-2 °C 0x8000=unknown 0x7FFF=unknown
            service 2a6f; 1 byte
              humidity uint8 % 255=unknown
            service 2a06; 1, 2 bytes; named P MAG, C MAG
              opening uint1 @0.0 0:true 1:false
            company 0757; 2 bytes or more; starts f1
              battery uint8 @1 %
            company 0757; 3 bytes or more; starts f2
              battery_voltage uint16 @1 *1e-3 V
            company 0757; 3 bytes or more; starts 12
              temperature sint16 @1 *1e-2 °C
            company 0757; 5 bytes or more; starts 21
              humidity uint8 @1 %; temperature sint16 @3 *1e-2 °C
            """,

        // Teltonika's wiki page of the EYE sensor; ble_monitor.
        .teltonika: """
            company 089a; 2 bytes or more; starts 01; big endian
              _flags uint8 @1
              temperature sint16 *1e-2 °C ?0
              humidity uint8 % ?1
              moving uint1 bool ?4
              movement_count uint15 ?4
              pitch sint8 ° ?5
              roll sint16 ° ?5
              battery_voltage uint8 *1e-2 +200 V ?7
              magnetic_field bit @1.3 ?2
              battery_low bit @1.6
            """,

        // ble_monitor: EClerk Eco.
        .relsib: """
            service aa21, aa22; 22 bytes
              temperature sint16 @0 *1e-2 °C 0x8000=unknown; humidity uint16 *1e-2 % 0x8000=unknown
              co2 uint16 ppm 0x8000=unknown
            service aa20; 22 bytes
              temperature sint16 @4 *1e-2 °C 0x8000=unknown; humidity uint16 *1e-2 % 0x8000=unknown
              co2 uint16 ppm 0x8000=unknown
              plug bit @13.7
              battery uint7 @13.0 % ?plug=false
              battery uint7 @13.0 *0 +100 % ?plug=true
            """,

        // Theengs: Onset's water level logger MX2001.
        .hobo: """
            company 00c5; 20 bytes
              water_level float32 @16 *100 cm
            """,

        // xiaomi-ble 1.21.2: XMTZC01HM and XMTZC04HM, then XMTZC02HM, XMTZC05HM and NUN4049CN.
        .xiaomiscale: """
            service 181d; 10 bytes
              _flags uint8 @0
              mass_non_stabilized uint16 @1 *5e-3 kg ?!0 ?!4
              mass_non_stabilized uint16 @1 *1e-2 lb ?0
              mass_non_stabilized uint16 @1 *5e-3 kg ?4 ?!0
              mass uint16 @1 *5e-3 kg ?!0 ?5 ?!7
              mass uint16 @1 *1e-2 lb ?0 ?5 ?!7
              stabilized bit @0.5 ?!7
              stabilized uint1 @0.0 *0 bool ?7
              weight_removed bit @0.7
            service 181b; 13 bytes
              _pounds bit @0.0
              _flags uint8 @1
              mass_non_stabilized uint16 @11 *5e-3 kg ?_pounds=false
              mass_non_stabilized uint16 @11 *1e-2 lb ?_pounds=true
              mass uint16 @11 *5e-3 kg ?_pounds=false ?5 ?!7
              mass uint16 @11 *1e-2 lb ?_pounds=true ?5 ?!7
              impedance uint16 @9 Ω ?1 ?5 ?!7
              stabilized bit @1.5 ?!7
              stabilized uint1 @1.0 *0 bool ?7
              weight_removed bit @1.7
            """,

        // xiaomi-ble 1.21.2: the pink Flower care HHCCJCY10.
        .flowercare: """
            service fd50; 9 bytes; big endian
              moisture uint8 %; temperature sint16 *1e-1 °C; illuminance uint24 lx; battery uint8 %; conductivity uint16 µS/cm
            """,

        // github.com/rbaron/b-parasite, protocols 1 and 2.
        .bparasite: """
            service 181a; 16, 18 bytes; address at 10; big endian
              _version uint4 @0.4
              packet_id uint8 @1
              battery_voltage uint16 @2 *1e-3 V
              temperature sint16 @4 *1e-3 °C ?_version=1
              temperature sint16 @4 *1e-2 °C ?_version=2
              humidity uint16 @6 *100 ÷65535 %
              moisture uint16 @8 *100 ÷65535 %
              illuminance uint16 @16 lx ?size≥18
            """,

        // ble_monitor: iBeacon's open sister. A beacon, not a sensor.
        .altbeacon: """
            company ffff, 0118; 24 bytes or more; starts beac; big endian
              uuid hex(16) @2; major uint16; minor uint16; tx_power sint8 dBm
            """,

        // Theengs: N03, then ABTemp in an iBeacon. N07 sends BTHome.
        .aprilbrother: """
            service fe95; 15 bytes; starts ab03
              battery uint8 @8 %; temperature sint16 ÷8 °C; humidity uint16 *5e-1 %; illuminance uint16 lx
            company 004c; 23 bytes or more; starts 0215b5b182c7eab14988aa99b5c1517008d9
              battery uint8 @20 %; temperature sint8 @21 °C
            """,

        // ble_monitor: XM122 and XM126, for presence or a distance.
        .acconeer: """
            company acc0; 15 bytes; starts 90
              battery uint16 @1 %; temperature sint16 °C; distance uint16 mm
            company acc0; 15 bytes; starts 91
              battery uint16 @1 %; temperature sint16 °C; motion uint16 bool
            company acc0; 15 bytes; starts 80
              battery uint16 @1 %; temperature sint16 °C; motion uint16 bool
            """,

        // ble_monitor: Pro 2, then 2S. The number's low byte says which values follow.
        .airmentor: """
            company 2111, 2121; 8 bytes; big endian
              co2 uint16 ppm; pm2_5 uint16 µg/m³; pm10 uint16 µg/m³
            company 2112, 2122; 8 bytes; big endian
              voc uint16 ppb; _correction uint8 @4 *-1e-1; temperature uint16 @2 *1e-2 +-4000 +_correction °C
              aqi uint16 @6
            company 6111, 6121; 12 bytes; big endian
              co2 uint16 ppm; pm2_5 uint16 µg/m³; pm10 uint16 µg/m³; formaldehyde uint16 @8 ppb
            company 5112, 5122; 12 bytes; big endian
              voc uint16 ppb; _correction uint8 @4 *-1e-1; temperature uint16 @2 *1e-2 +-4000 +_correction °C
              humidity uint8 @5 %; aqi uint16 @6
            """,

        // ble_monitor; Theengs: bands and watches of Xiaomi and Amazfit, and Amazfit's scale.
        .amazfit: """
            company 0157; 24 bytes; starts 02
              heart_rate uint8 @3 bpm 255=unknown 0=unknown
            service fee0; 4 bytes
              steps uint32
            service fee0; 20 bytes
              _final uint24 @9
              mass_non_stabilized uint16 @7 *5e-3 kg
              stabilized uint24 @9 bool
              mass uint16 @7 *5e-3 kg ?_final≠0
              impedance uint16 @5 *1e-1 Ω ?_final≠0
              heart_rate uint8 @12 bpm ?_final≠0
            """,

        // ble_monitor: Supramatic E4 BS.
        .hormann: """
            company 07b4; 17 bytes
              opening_percentage uint8 @1 *5e-1 %; opening uint8 @1 bool
            """,

        // ble_monitor: KT-100 and KT-200.
        .kegtron: """
            company ffff; 27 bytes; big endian
              keg_size uint16 @0 *1e-3 L
              volume_start uint16 *1e-3 L
              _second bit @6.4
              volume_dispensed_port_1 uint16 @4 *1e-3 L ?_second=false
              volume_dispensed_port_2 uint16 @4 *1e-3 L ?_second=true
              configured bit @6.0
              port_index uint1 @6.4 0:1 1:2
              port_count uint1 @6.6 0:1 1:2
              port_name utf8s(20) @7
            """,

        // help.mikrotik.com, "MikroTik Tag advertisements": TG-BT5-IN and TG-BT5-OUT, not encrypted.
        .mikrotik: """
            company 094f; 18 bytes; starts 0100
              acceleration_x sint16 @4 ÷256 gₙ
              acceleration_y sint16 @6 ÷256 gₙ
              acceleration_z sint16 @8 ÷256 gₙ
              temperature sint16 @10 ÷256 °C 0x8000=unknown
              uptime uint32 @12 s
              reed_switch bit @16.0
              tilt bit @16.1
              falling bit @16.2
              impact_x bit @16.3
              impact_y bit @16.4
              impact_z bit @16.5
              battery uint8 @17 %
            """,

        // moat-ble 0.1.1, for service data; ble_monitor, for manufacturer data: Moat S2.
        .moat: """
            service 1000; 16 bytes or more
              \(moat)
            company 1000; 18 bytes
              \(moat)
            """,
        // github.com/TechBlueprints/victron-seelevel-python; ble_monitor: SeeLevel II 709-BT and 709-BTP3 by Garnet, which send three
        // digits, spaces or a word for one sensor at a time; then the 709-BTP7. A tank's level is a percentage, a temperature in °F.
        .garnet: """
            company 0131; 14 bytes; starts ______0d
              _first uint8 @4; _second uint8 @5
              _hundreds uint8 @4 *100e-1 +-4800 ?_first≥48; _tens uint8 @5 *10e-1 +-480 +_hundreds ?_second≥48
              battery_voltage uint8 @6 *1e-1 +-48 +_tens V ?_first<58
              problem uint8 @13 *1 +-48 bool
            company 0131; 14 bytes
              _sensor uint8 @3; _first uint8 @4; _second uint8 @5
              _hundreds uint8 @4 *100 +-4800 ?_first≥48; _tens uint8 @5 *10 +-480 +_hundreds ?_second≥48
              \(garnetTanks)
              _hot_hundreds uint8 @4 *5000e-1 ÷9 +-2666.6666667 ?_first≥48
              _hot_tens uint8 @5 *500e-1 ÷9 +-266.6666667 +_hot_hundreds ?_second≥48
              \(garnetTemperatures)
              problem uint8 @13 *1 +-48 bool
            company 0cc0; 14 bytes
              fresh_tank uint8 @3 % 110=disabled 0...100; grey_tank uint8 % 110=disabled 0...100; black_tank uint8 % 110=disabled 0...100
              fresh_tank_2 uint8 % 110=disabled 0...100; grey_tank_2 uint8 % 110=disabled 0...100; black_tank_2 uint8 % 110=disabled 0...100
              grey_tank_3 uint8 % 110=disabled 0...100; lpg_tank uint8 % 110=disabled 0...100; battery_voltage uint8 *1e-1 V
            """,

        // xiaogui-ble 0.1.1; ble_monitor: TZC4, in kilograms or pounds, and QJ-J.
        .xiaogui: """
            company __c0; 13 bytes; address at 7; big endian
              _kind uint8 @6
              mass_non_stabilized uint16 @0 *1e-1 kg ?_kind<36
              mass_non_stabilized uint16 @0 *1e-2 kg ?_kind≥36 ?_kind<48
              mass_non_stabilized uint16 @0 *1e-1 lb ?_kind≥48
              stabilized bit @6.0
              mass uint16 @0 *1e-1 kg ?_kind=33
              mass uint16 @0 *1e-2 kg ?_kind=37
              mass uint16 @0 *1e-1 lb ?_kind=49
              impedance uint16 @2 *1e-1 Ω ?stabilized=true
            """,

        // Theengs.
        .smartdry: """
            company 01ae; 12 bytes
              temperature float32 °C; humidity float32 %; shake uint16; battery_voltage uint8 *1e-3 +2847 V
              awake bit @11.0
            """,

        // Theengs.
        .beewi: """
            company 000d; 5 bytes; starts 080c
              opening bit @2.0; battery uint8 @4 %
            """,
        .skale: """
            company 81ef; 4 bytes
              mass sint16 *1e-1 g
            """,
        .xoss: """
            company ff04; 4 bytes
              battery uint7 @1.0 %; heart_rate uint8 @3 bpm
            """,
        .otodata: """
            company 03b1; 13 bytes or more; starts 4f544f54454c45
              level uint16 @9 *1e-2 %; status uint16 @11
            """,
        .nodon: """
            service 0000; 16 bytes; starts 02; big endian
              button_number uint8 @15 1:1 2:2 3:9 4:10 5:3 6:4 7:5
              color uint16 @10 2:White 3:TechBlue 4:CozyGrey 5:Wazabi 6:Lagoon 7:Softberry
              battery uint7 @12.0 %
            """,
        .feasycom: """
            service fff0; 11 bytes; address at 4
              beacon_model uint8 @0 21:BP102 25:BP109 26:BP103 27:BP104 28:BP201 29:BP106 30:BP101 36:BP120 39:BP108 40:BP108N \
                41:BP103B 70:BP104D
              _power uint8 @10
              battery uint7 @10.0 % ?_power≠101
              plug uint8 @10 *0 bool ?_power≠101
              plug uint8 @10 bool ?_power=101
            """,
        // Tyre valves: the first four bits are the wheel.
        .tpms: """
            company 0000, 0100, 0200, 0300, 0400; 16 bytes; address at 0
              wheel uint4 @0.0 +1
              pressure uint32 @6 Pa
              temperature sint32 @10 *1e-2 °C
              battery uint8 @14 %
              problem bit @15.0
            """,
        // Theengs.
        .polar: """
            company 006b; 4 bytes
              heart_rate uint8 @3 bpm
            """,
        // Theengs: the faucet, and the hand shower Hydractiva Digital by Amphiro.
        .oras: """
            company 0131; 18 bytes
              battery uint7 @1.0 %
            company faee; 19 bytes; big endian
              session uint24 @0; duration uint16 s; volume uint24 @8 ÷2560 L; temperature uint8 °C; energy uint16 *1e-2 kWh
            """,
        // ble_monitor.
        .holyiot: """
            service 5242; 13 bytes; address at 2; big endian
              battery uint8 @1 %
              _kind uint8 @10
              _degrees sint8 @11
              _fraction uint8 @12 *1e-2 ?_degrees≥0
              _fraction uint8 @12 *-1e-2 ?_degrees<0
              temperature sint8 @11 +_fraction °C ?_kind=1
              pressure sint16 @11 +80000 Pa ?_kind=2
              humidity uint8 @11 % ?_kind=3
              vibration uint8 @11 bool ?_kind=4
              side uint8 @11 ?_kind=5
              button uint8 @11 0:none 1:press ?_kind=6
            """,
        // ble_monitor: bluSensor AIQ.
        .almendo: """
            company 06e8; 16 bytes or more; starts 01__0a
              temperature sint16 @7 *1e-2 °C; humidity uint16 *1e-2 %; co2 uint16 ppm; voc uint16; aqi uint8
            """,
        // chefiq-ble 1.0.1: CQ50 and CQ60. The kind of a packet is 1 for temperatures, and 3 for the state; the version says where.
        // ble_monitor has a packet of version 4 with the layout of version 2; the last one was seen with version 5 only.
        .chefiq: """
            company 05cd; 2...18 bytes
              _kind uint4 @0.0; _version uint4 @1.4
              ambient_temperature sint16 @2 *1e-1 °C ?_kind=1 ?_version≥5 ?size≥4
              food_temperature sint16 @4 *1e-1 °C ?_kind=1 ?_version≥5 ?size≥6
              temperature_probe_1 sint16 @6 *1e-1 °C ?_kind=1 ?_version≥5 ?size≥8
              temperature_probe_2 sint16 @8 *1e-1 °C ?_kind=1 ?_version≥5 ?size≥10
              temperature_probe_3 sint16 @10 *1e-1 °C ?_kind=1 ?_version≥5 ?size≥12
              temperature_probe_4 sint16 @12 *1e-1 °C ?_kind=1 ?_version≥5 ?size≥14
              battery uint8 @8 % ?_kind=3 ?_version≥5 ?size≥10
              chip_temperature uint8 @9 °C ?_kind=3 ?_version≥5 ?size≥10
              battery uint8 @2 % ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              chip_temperature uint8 @3 °C ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              ambient_temperature sint16 @4 *1e-1 °C ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              food_temperature sint16 @6 *1e-1 °C ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              temperature_probe_1 sint16 @8 *1e-1 °C ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              temperature_probe_2 sint16 @10 *1e-1 °C ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              temperature_probe_3 sint16 @12 *1e-1 °C ?_kind=1 ?_version≥2 ?_version<5 ?size≥14
              battery uint8 @8 % ?_kind=1 ?_version<2 ?size≥14
              chip_temperature uint8 @9 °C ?_kind=1 ?_version<2 ?size≥14
              food_temperature sint16 @10 *1e-1 °C ?_kind=1 ?_version<2 ?size≥14
              ambient_temperature sint16 @12 *1e-1 °C ?_kind=1 ?_version<2 ?size≥14
            """,
        // ble_monitor. The kind of a packet is 13 for a weight, and 6 for an impedance.
        .laica: """
            company a0ac; 12 bytes; masked a0; big endian
              _kind uint8 @10
              _high uint2 @7.0 *65536e-3
              mass uint16 @8 *1e-3 kg +_high ?_kind=173
              impedance uint16 @6 Ω ?_kind=166
            """,
    ]
}
