// swift-format-ignore-file

/// The assigned descriptors, one per line, sorted by number: `number|official name`.
/// Source: the Assigned Numbers of the Bluetooth SIG, mid-2026.
enum DescriptorTable {
    static let table = TextTable(
        """
        2900|Characteristic Extended Properties
        2901|Characteristic User Description
        2902|Client Characteristic Configuration
        2903|Server Characteristic Configuration
        2904|Characteristic Presentation Format
        2905|Characteristic Aggregate Format
        2906|Valid Range
        2907|External Report Reference
        2908|Report Reference
        2909|Number of Digitals
        290a|Value Trigger Setting
        290b|Environmental Sensing Configuration
        290c|Environmental Sensing Measurement
        290d|Environmental Sensing Trigger Setting
        290e|Time Trigger Setting
        290f|Complete BR-EDR Transport Block Data
        2910|Observation Schedule
        2911|Valid Range and Accuracy
        2912|Measurement Description
        2913|Manufacturer Limits
        2914|Process Tolerances
        2915|IMD Trigger Setting
        2916|Cooking Sensor Info
        2917|Cooking Trigger Setting
        """)
}
