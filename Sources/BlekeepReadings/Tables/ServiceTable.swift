// swift-format-ignore-file

/// The assigned services, one per line, sorted by number: `number|official name`.
/// Source: the Assigned Numbers of the Bluetooth SIG, mid-2026.
enum ServiceTable {
    static let table = TextTable(
        """
        1800|GAP
        1801|GATT
        1802|Immediate Alert
        1803|Link Loss
        1804|Tx Power
        1805|Current Time
        1806|Reference Time Update
        1807|Next DST Change
        1808|Glucose
        1809|Health Thermometer
        180a|Device Information
        180d|Heart Rate
        180e|Phone Alert Status
        180f|Battery
        1810|Blood Pressure
        1811|Alert Notification
        1812|Human Interface Device
        1813|Scan Parameters
        1814|Running Speed and Cadence
        1815|Automation IO
        1816|Cycling Speed and Cadence
        1818|Cycling Power
        1819|Location and Navigation
        181a|Environmental Sensing
        181b|Body Composition
        181c|User Data
        181d|Weight Scale
        181e|Bond Management
        181f|Continuous Glucose Monitoring
        1820|Internet Protocol Support
        1821|Indoor Positioning
        1822|Pulse Oximeter
        1823|HTTP Proxy
        1824|Transport Discovery
        1825|Object Transfer
        1826|Fitness Machine
        1827|Mesh Provisioning
        1828|Mesh Proxy
        1829|Reconnection Configuration
        183a|Insulin Delivery
        183b|Binary Sensor
        183c|Emergency Configuration
        183d|Authorization Control
        183e|Physical Activity Monitor
        183f|Elapsed Time
        1840|Generic Health Sensor
        1843|Audio Input Control
        1844|Volume Control
        1845|Volume Offset Control
        1846|Coordinated Set Identification
        1847|Device Time
        1848|Media Control
        1849|Generic Media Control
        184a|Constant Tone Extension
        184b|Telephone Bearer
        184c|Generic Telephone Bearer
        184d|Microphone Control
        184e|Audio Stream Control
        184f|Broadcast Audio Scan
        1850|Published Audio Capabilities
        1851|Basic Audio Announcement
        1852|Broadcast Audio Announcement
        1853|Common Audio
        1854|Hearing Access
        1855|Telephony and Media Audio
        1856|Public Broadcast Announcement
        1857|Electronic Shelf Label
        1858|Gaming Audio
        1859|Mesh Proxy Solicitation
        185a|Industrial Measurement Device
        185b|Ranging
        185c|HID ISO
        185d|Cookware
        185e|Voice Assistant
        185f|Generic Voice Assistant
        """)
}
