import Blekeep

/// Merges the settings of several files. Each setting may occur once.
struct ConfigurationMerge {
    private(set) var configuration = Configuration()
    private(set) var problems: [ConfigurationProblem] = []

    init(_ parts: [ConfigurationPart]) {
        configuration.poll.adapter = only("adapter", parts.compactMap(\.adapter))
        configuration.poll.interval =
            only("interval", parts.compactMap(\.interval)) ?? PollConfiguration.defaultInterval
        configuration.poll.throttle =
            only("throttle", parts.compactMap(\.throttle)) ?? PollConfiguration.defaultThrottle
        configuration.poll.maxLinks =
            only("max_links", parts.compactMap(\.maxLinks)) ?? PollConfiguration.defaultMaxLinks
        configuration.history = only("history", parts.compactMap(\.history)) ?? HistoryConfiguration()
        configuration.poll.power = only("power", parts.compactMap(\.power)) ?? PowerConfiguration()
        configuration.poll.onStop = only("on_stop", parts.compactMap(\.onStop)) ?? .disconnect
        configuration.poll.recovery = only("recovery", parts.compactMap(\.recovery)) ?? []
        configuration.sinks = only("sinks", parts.compactMap(\.sinks)) ?? SinkConfiguration()
        configuration.metrics = only("metrics", parts.compactMap(\.metrics))
        configuration.notices = parts.flatMap(\.notices).map(\.value)
        join(parts.flatMap(\.devices))
        join(parts.flatMap(\.layouts))
    }

    private mutating func only<Value>(_ key: String, _ said: [ConfigurationPart.Said<Value>]) -> Value? {
        for other in said.dropFirst() {
            note("`\(key)` is set already at \(said[0].place); keep one", at: other.place)
        }
        return said.first?.value
    }

    private mutating func join(_ devices: [ConfigurationPart.Device]) {
        var addresses: [BluetoothAddress: ConfigurationLocation] = [:]
        var aliases: [String: ConfigurationLocation] = [:]
        for device in devices {
            let address = device.configuration.address
            if let first = addresses[address] {
                note("the device \(address) is configured already at \(first); keep one", at: device.address)
            } else {
                addresses[address] = device.address
            }
            guard let alias = device.configuration.alias, let place = device.alias else { continue }
            if let first = aliases[alias] {
                note("the alias \(Quoted.text(alias)) is taken already at \(first); choose another", at: place)
            } else {
                aliases[alias] = place
            }
        }
        configuration.poll.devices = devices.map(\.configuration)
    }

    private mutating func join(_ layouts: [ConfigurationPart.Layout]) {
        var places: [BluetoothUUID: ConfigurationLocation] = [:]
        for layout in layouts {
            let characteristic = layout.layout.characteristic
            if let first = places[characteristic] {
                note("the layout of \(characteristic) is set already at \(first); keep one", at: layout.place)
            } else {
                places[characteristic] = layout.place
            }
        }
        configuration.poll.layouts = layouts.map(\.layout)
    }

    private mutating func note(_ message: String, at place: ConfigurationLocation) {
        problems.append(ConfigurationProblem(place: place, message: message))
    }
}
