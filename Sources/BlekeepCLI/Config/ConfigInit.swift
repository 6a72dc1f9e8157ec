import ArgumentParser
import Blekeep

struct ConfigInit: OptionsCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a configuration file with comments, to begin with.",
        discussion: """
            It goes to the usual place (/etc/blekeep/config.yaml for root), or to the file that -c names. A file that \
            is there is never touched.

            Examples:
              blekeep config init
              blekeep config init --print
            """)

    @Flag(help: "Print it instead.")
    var print = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        guard !print else {
            try StandardOutput().write(Self.text)
            return
        }
        let loader = Composition.configurationLoader(options)
        guard let folder = loader.folders.first else {
            throw Failure(.badConfiguration, "there is no place for a configuration: set HOME, or name a file with -c")
        }
        let path = options.config ?? "\(folder)/config.yaml"
        try NewFile.write(Self.text, to: path)
        Swift.print("wrote \(path)")
    }

    static let text = """
        # What blekeep reads. 'blekeep config check' finds mistakes; 'blekeep add DEV' writes a device for you, as a
        # file of its own in conf.d beside this one.

        # The radio: its address, or hciN. Without it the first one that is on.
        # adapter: hci0

        # From reading to reading, 5s to 24h.
        interval: 30s

        # How many links the radio can keep open at a time.
        # max_links: 5

        # Where readings are kept.
        # history: /var/lib/blekeep/history.sqlite

        # What becomes of links that are held when blekeep ends: disconnect, or keep them for its next start.
        # on_stop: disconnect

        devices: []
        #  - address: F0:00:00:00:00:01
        #    alias: greenhouse
        #    interval: 5m            # its own
        #    mode: auto              # auto, hold, release, heard or passive: what becomes of the link between readings
        #    characteristics:        # without them, all that is known here
        #      - temperature         # an official name or a UUID
        #      - uuid: 2a37
        #        service: 180d
        #        notify: true        # take values as the device sends them

        """
}
