// swift-format-ignore-file

/// The names of numbers in assigned characteristics, one enumeration per line: `characteristics|field|name|name …`.
///
/// The first name is that of 0. Numbers without a name are empty, and `15=` gives the next name another number.
/// Source: the GATT Specification Supplement of the Bluetooth SIG, mid-2026.
enum EnumerationTable {
    static let text = """
        2a06|alert_level|No alert|Mild alert|High alert
        2a09 2a0a 2a0c 2a2b|day_of_week||Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday
        2a13 2a14|time_source|Unknown|Network time protocol|GPS|Radio time signal|Manual|Atomic clock|Cellular network|Not synchronized
        2a17|current_state|Idle|Update pending
        2a17|result|Successful|Canceled|No connection to reference|Reference responded with an error|Timeout|Not attempted after reset
        2a18|type||Capillary whole blood|Capillary plasma|Venous whole blood|Venous plasma|Arterial whole blood|Arterial plasma|Undetermined whole blood|Undetermined plasma|Interstitial fluid|Control solution
        2a18|sample_location||Finger|Alternate site test|Earlobe|Control solution|15=Not available
        2a1c 2a1d 2a1e|temperature_type||Armpit|Body|Ear|Finger|Gastrointestinal tract|Mouth|Rectum|Toe|Tympanum
        2a34|carbohydrate_id||Breakfast|Lunch|Dinner|Snack|Drink|Supper|Brunch
        2a34|meal||Preprandial|Postprandial|Fasting|Casual|Bedtime
        2a34|tester||Self|Health care professional|Lab test|15=Not available
        2a34|health||Minor health issues|Major health issues|During menses|Under stress|No health issues|15=Not available
        2a34|medication_id||Rapid acting insulin|Short acting insulin|Intermediate acting insulin|Long acting insulin|Pre-mixed insulin
        2a38|body_sensor_location|Other|Chest|Wrist|Finger|Hand|Ear lobe|Foot
        2a41|ringer_setting|Silent|Normal
        2a43 2a45 2a46|category_id|Simple alert|Email|News|Call|Missed call|SMS or MMS|Voice mail|Schedule|High prioritized alert|Instant message
        2a4e|protocol_mode|Boot protocol|Report protocol
        2a50|vendor_id_source||Bluetooth SIG|USB Implementers Forum
        2a5d|sensor_location|Other|Top of shoe|In shoe|Hip|Front wheel|Left crank|Right crank|Left pedal|Right pedal|Front hub|Rear dropout|Chainstay|Rear wheel|Rear hub|Chest|Spider|Chain ring
        2a8c|gender|Male|Female|Unspecified
        2a93|sport_type_for_aerobic_and_anaerobic_thresholds|Unspecified|Running|Cycling|Rowing|Cross training|Climbing|Skiing|Skating|Arm exercising|Lower body exercising|Upper body exercising|Whole body exercising
        2aa3|barometric_pressure_trend|Unknown|Continuously falling|Continuously rising|Falling, then steady|Rising, then steady|Falling before a lesser rise|Falling before a greater rise|Rising before a greater fall|Rising before a lesser fall|Steady
        2aa6|central_address_resolution|Not supported|Supported
        2b4a|handedness|Left handed|Right handed|Ambidextrous|Unspecified
        2b7d|mute|Not muted|Muted
        2be1|light_distribution|Not specified|Type I|Type II|Type III|Type IV|Type V
        2be3|light_source_type|Not specified|Low pressure fluorescent|HID|Low voltage halogen|Incandescent|LED|OLED|253=Other|No light source|Multiple
        2c1f|acceleration_detection_status|No change|Change detected
        2c20|open_status|Open|Closed|Tilted or ajar
        """
}
