import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct ConfigInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a first configuration file, with comments.",
        discussion: """
            The file is /etc/blekeep/config.yaml for root, ~/.config/blekeep/config.yaml for other users, or the one \
            that -c names. An existing file stays as it is.

            Examples:
              blekeep config init
              blekeep config init --print
            """)

    @Flag(help: "Print the file instead of writing it.")
    var print = false

    @Flag(help: "Print JSON.")
    var json = false

    @Option(name: [.short, .long], help: "The configuration file, instead of the usual places.")
    var config: String?

    func validate() throws {
        if config?.isEmpty == true { throw ValidationError("-c needs the name of a file") }
    }

    func run() throws {
        guard !print else {
            let object: JSON = .object(["state": "printed", "configuration": .text(Self.text)])
            return try StandardOutput().write(json ? "\(object.text)\n" : Self.text)
        }
        let environment = Composition.environment
        let file = config ?? EnvironmentVariable.config.value(in: environment)
        let loader = ConfigurationLoader(
            file: file, environment: environment, names: Composition.characteristicNames)
        guard let folder = loader.folders.first else {
            throw Failure(.badConfiguration, "there is no place for a configuration: set HOME, or name a file with -c")
        }
        let path = file ?? "\(folder)/config.yaml"
        try NewFile.write(Self.text, to: path)
        let object: JSON = .object(["state": "written", "file": .text(path)])
        try StandardOutput().line(json ? object.text : "wrote \(Untrusted.whole(path))")
    }

    /// `#` and two spaces, or none, begin a setting. `#` and one space begin a remark.
    static let text = """
        # What blekeep reads, and how. 'blekeep config check' finds mistakes, 'blekeep config show' shows all settings.
        # 'blekeep add DEV' writes the configuration of a device to a file of its own in conf.d.
        # To change a setting, remove the # before it. The value is the default, or an example.

        # The adapter: its address, or hciN. Without it, blekeep uses the first adapter that is on.
        #adapter: hci0

        # The time between ticks, 5s to 24h.
        interval: 30s

        # The shortest time between two stored values that a device sends by itself, 0s (stores all) to 1h.
        #throttle: 1s

        # The most connections that the adapter holds at a time, 1 to 64.
        #max_links: 5

        # Where blekeep stores readings, and how much of the disk they may take. A path alone will do.
        #history:
        #  path: /var/lib/blekeep/history.sqlite
        #  size: 256MiB                # of readings; blekeep deletes the oldest; at least 1MiB
        #  rollups: 128MiB             # of summaries, which stay longer than readings; at least 512KiB
        #  reserve: 32MiB              # stays free for other programs

        # What happens to open connections when blekeep ends: disconnect, or keep them for its next start.
        #on_stop: disconnect

        # How ticks slow down to save power: an interval, a factor such as x2, or pause.
        #power:
        #  mode: auto                  # follows UPower and power profiles; or normal, or low
        #  battery: 60s                # the shortest interval on battery
        #  low: 5m
        #  critical: 15m
        #  wake: false                 # true: wake a sleeping machine for ticks, every 15m at most

        # Where readings go besides the history and standard output.
        #sinks:
        #  file:                       # one JSON object a line; every reading once, also after a crash
        #    path: /var/log/blekeep.ndjson
        #    size: 10MiB               # then it is renamed to PATH.1; at least 64KiB
        #    keep: 4                   # so many older files, 1 to 1000
        #  mqtt:                       # an MQTT broker; each reading at least once
        #    url: mqtts://broker.example   # or mqtt:// without TLS
        #    user: blekeep
        #    password_file: /etc/blekeep/mqtt-password   # or the name of a credential
        #    ca_file: /etc/blekeep/ca.pem   # trusts these authorities instead of the system's
        #    cert_file: /etc/blekeep/client.pem
        #    key_file: /etc/blekeep/client.key
        #    version: 5                # or 3.1.1
        #    base: blekeep             # topics are BASE/GATEWAY/DEVICE/state and so on
        #    gateway: cellar           # this machine's name unless set
        #    backlog_rate: 50          # readings a second after an outage; 1 to 10000
        #    discovery: homeassistant  # Home Assistant's prefix; false: don't tell Home Assistant
        #    commands: [poll, pause, set]   # what the broker's users may do; nothing unless set
        #  influx:                     # an InfluxDB; each reading at least once
        #    url: https://influx.example:8086   # or http:// without TLS
        #    database: blekeep         # of InfluxDB 1; for InfluxDB 2 write org, bucket and token_file instead
        #    user: blekeep             # of InfluxDB 1, with its password_file
        #    password_file: /etc/blekeep/influx-password   # or the name of a credential
        #    ca_file: /etc/blekeep/ca.pem   # trusts these authorities instead of the system's
        #    cert_file: /etc/blekeep/client.pem
        #    key_file: /etc/blekeep/client.key
        #    batch_age: 10s            # new readings wait so long for others; 1s to 5m
        #    backlog_rate: 500         # readings a second after an outage; 1 to 10000
        #  webhook:                    # gets a JSON array of readings with POST; each reading at least once
        #    url: https://hook.example/readings
        #    token_file: /etc/blekeep/hook-token   # or the name of a credential
        #    header: Authorization     # with 'Bearer' before the token; another header has the token alone
        #    batch_age: 10s            # the rest as for influx

        # Metrics for Prometheus: the folder that node_exporter reads. blekeep writes blekeep.prom there.
        #metrics:
        #  textfile: /var/lib/prometheus/node-exporter

        # Commands that 'blekeep notices' runs when something happens, with JSON on their standard input.
        #notices:
        #  - run: [/usr/local/bin/notify, "--from=gateway"]
        #    events: [device-lost, device-needs-user, device-back]   # all unless set
        #    hold_off: 15m             # the shortest time between two notices about the same device, 0s to 7d
        #    timeout: 30s              # how long the command may take, 1s to 10m
        #    battery: 20               # percent; less is battery-low

        # What blekeep may do when gentle means fail. Each may disturb other programs.
        #recovery:
        #  power_cycle: false          # true: turn an adapter off and on when it reaches no device, every 10m at most
        #  restart_bluetooth: false    # true: then restart bluetoothd, every 30m at most
        #  forget_stale: false         # true: remove an unpaired device from BlueZ's cache when its values no longer match
        #  prefer_le: false            # true: set PreferredBearer = le when BlueZ tries classic Bluetooth

        # The devices to read.
        #devices:
        #  - address: F0:00:00:00:00:01
        #    alias: greenhouse
        #    enabled: true             # false: poll doesn't read it
        #    tags: [cellar, cold]      # words for groups: 'blekeep poll tag:cellar'
        #    adapter: hci0             # the next settings are also for this device alone
        #    interval: 5m
        #    throttle: 10s
        #    mode: auto                # the connection between ticks: hold, release, or auto to choose
        #    power: {low: 10m, critical: pause}
        #    adaptive: true            # up to 4 times the interval while the values don't change
        #    min_interval: 1m
        #    max_interval: 1h
        #    characteristics:          # only these; without any, all that blekeep can decode
        #      - temperature           # an official name or a UUID
        #      - uuid: 2a37
        #        service: 180d
        #        notify: true          # take values as the device sends them
        #        throttle: 0s          # and store all of them
        #      - uuid: 2a19
        #        interval: 1h
        #        factor: 1.02          # calibration: the value times the factor, plus the offset
        #        offset: -0.5
        #        security: encrypted   # read only when paired; none, encrypted or authenticated
        #        write: true           # commands of sinks and programs may write it
        #  - address: F0:00:00:00:00:02
        #    mode: passive             # never connects: takes the values that the device advertises
        #    format: mopeka            # for a device that isn't recognized by what it advertises
        #    medium: water             # for a Mopeka tank sensor: propane, air or water
        #    key: /etc/blekeep/attic-key   # for encrypted values: a file with 32 hex digits, or a credential's name
        #  - address: F0:00:00:00:00:03
        #    mode: heard               # read when a tick is due and blekeep hears the device: for devices that sleep

        # How to decode a vendor's values. 'blekeep config check' runs the tests.
        #layouts:
        #  - uuid: a0b40010-926d-4d61-98df-8c5c62ee53b3
        #    name: Soil probe
        #    endian: big               # or little, the default
        #    fields:
        #      - {name: flags, type: bits8}
        #      - {name: temperature, type: sint16, scale: 0.01, offset: -40, unit: °C, special: {0x8000: unknown}}
        #      - {skip: 1}             # unused bytes
        #      - {name: moisture, type: uint8, scale: 0.5, unit: "%", if: {bit: 0}}
        #    tests:
        #      - {hex: 010c4e00c8, expect: {temperature: -8.5, moisture: 100}}
        #      - {hex: "01", error: short}

        """
}
