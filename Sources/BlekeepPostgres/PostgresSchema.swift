/// What blekeep keeps in a database: the one place that declares it.
///
/// A gateway may only call functions such as `put_1`. The number in a name is that of its form: a later form gets a new
/// function beside it, so that gateways of two versions share a database.
package enum PostgresSchema {
    /// The version of the tables, in `blekeep.setting`.
    package static let version = versions.count

    /// The statements that make each version of the one before, all or none.
    private static let versions = [readings, ownership, configuration]

    /// Returns the statements that make a later version, the newest by default, of an earlier one; 0 for a database without
    /// tables.
    package static func statements(from version: Int, to last: Int = versions.count) -> String {
        let steps = versions.prefix(last).enumerated().dropFirst(version).map { place, statements in
            "\(statements)\nUPDATE blekeep.setting SET version = \(place + 1);"
        }
        return (["BEGIN;"] + steps + ["COMMIT;"]).joined(separator: "\n")
    }

    /// The error of a reading whose number another reading has.
    static let conflict = "BK001"
    /// The error of a gateway whose name another machine has.
    static let nameTaken = "BK002"
    /// The error of a gateway whose name another role has.
    static let nameOfRole = "BK003"
    /// The error of a configuration in place of a version that its author didn't see.
    static let versionNotSeen = "BK004"

    /// The role of all gateways, and that of people and dashboards.
    package static let gateways = "blekeep_gateway"
    package static let readers = "blekeep_reader"

    // MARK: 1: readings, and what gateways say

    private static let readings = """
        DO $$
        DECLARE
            role text;
        BEGIN
            FOREACH role IN ARRAY ARRAY['\(gateways)', '\(readers)'] LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN EXECUTE 'CREATE ROLE ' || role; END IF;
            END LOOP;
        END $$;
        CREATE SCHEMA blekeep;

        CREATE TABLE blekeep.setting (
            version integer NOT NULL,
            keep interval,              -- how long readings stay; NULL: always
            cleaned date NOT NULL DEFAULT current_date
        );
        CREATE UNIQUE INDEX ON blekeep.setting ((true));
        INSERT INTO blekeep.setting (version) VALUES (0);

        -- A history of a gateway, as far as its numbers are its own: a restored one begins another.
        CREATE TABLE blekeep.history (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            installation uuid NOT NULL UNIQUE,
            gateway text NOT NULL,
            role name NOT NULL,         -- who may write it
            received int8multirange NOT NULL DEFAULT '{}', -- the numbers that came
            since timestamptz NOT NULL DEFAULT now(),
            last timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);

        CREATE TABLE blekeep.series (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            device text NOT NULL,       -- the device's ID
            address text NOT NULL,
            service text NOT NULL,
            characteristic text NOT NULL,
            recipe text NOT NULL,
            instance integer NOT NULL,
            field text NOT NULL,        -- '': failed reads
            unit text NOT NULL,
            alias text NOT NULL,        -- as it was last
            name text NOT NULL,
            UNIQUE (device, address, service, characteristic, recipe, instance, field, unit)
        );

        CREATE TABLE blekeep.reading (
            history integer NOT NULL,
            seq bigint NOT NULL,        -- its number in that history
            time timestamptz NOT NULL,  -- as it was first sent
            received timestamptz NOT NULL DEFAULT now(),
            value double precision,     -- a number, or 1 and 0
            series integer NOT NULL,
            clock_set boolean NOT NULL,
            text text,                  -- what is no number, what a special value means, or why a read failed
            error text,                 -- the code of a failed read
            PRIMARY KEY (history, seq, time)
        ) PARTITION BY RANGE (time);
        CREATE INDEX ON blekeep.reading (series, time);
        -- For clocks that are far off.
        CREATE TABLE blekeep.reading_of_another_time PARTITION OF blekeep.reading DEFAULT;

        CREATE FUNCTION blekeep.make_day(day date) RETURNS void LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            part text := 'reading_' || to_char(day, 'YYYYMMDD');
        BEGIN
            IF to_regclass('blekeep.' || part) IS NOT NULL
                OR day NOT BETWEEN current_date - 3650 AND current_date + 1
            THEN
                RETURN;
            END IF;
            PERFORM pg_advisory_xact_lock(hashtext('blekeep.make_day'));
            IF to_regclass('blekeep.' || part) IS NULL THEN
                EXECUTE format(
                    'CREATE TABLE blekeep.%I PARTITION OF blekeep.reading FOR VALUES FROM (%L) TO (%L)',
                    part, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
            END IF;
        EXCEPTION
            -- The partition for other times has a reading of that day.
            WHEN check_violation THEN NULL;
        END $$;

        -- Drops the days that are older than `keep`. While a reader is at work, that waits for the next readings.
        CREATE FUNCTION blekeep.drop_old() RETURNS void LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            part text;
            oldest date;
        BEGIN
            UPDATE setting SET cleaned = current_date WHERE cleaned < current_date
                RETURNING current_date - keep INTO oldest;
            IF oldest IS NULL THEN RETURN; END IF;
            SET LOCAL lock_timeout = '100ms';
            FOR part IN
                SELECT relname FROM pg_class
                WHERE relnamespace = 'blekeep'::regnamespace AND relkind = 'r' AND relname ~ '^reading_[0-9]{8}$'
                    AND relname < 'reading_' || to_char(oldest, 'YYYYMMDD')
            LOOP
                EXECUTE format('DROP TABLE blekeep.%I', part);
            END LOOP;
        EXCEPTION
            WHEN lock_not_available THEN NULL;
        END $$;

        CREATE TYPE blekeep.given AS (
            history integer, seq bigint, time timestamptz, device text, address text, service text,
            characteristic text, recipe text, instance integer, field text, unit text, alias text, name text,
            value double precision, text text, error text, clock_set boolean, is_new boolean);

        -- Refuses a role that speaks for a gateway whose name another gateway's role has.
        CREATE FUNCTION blekeep.check_name(gateway text) RETURNS void
        LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        BEGIN
            IF gateway <> session_user AND EXISTS (
                SELECT FROM pg_auth_members AS m JOIN pg_roles AS own ON own.oid = m.member
                    JOIN pg_roles AS all_of_them ON all_of_them.oid = m.roleid
                WHERE own.rolname = gateway AND all_of_them.rolname = '\(gateways)')
            THEN
                RAISE EXCEPTION 'the gateway''s name belongs to another role' USING ERRCODE = '\(nameOfRole)';
            END IF;
        END $$;

        -- Takes readings, each as an object with the place of its history in `installations`. All that are new are stored
        -- when it returns: their number. Days are those of UTC.
        CREATE FUNCTION blekeep.put_1(gateway text, installations uuid[], readings json) RETURNS bigint
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp SET timezone = 'UTC' AS $$
        DECLARE
            mine integer[];
            rows given[];
            wrong record;
            day date;
            count bigint := 0;
        BEGIN
            PERFORM check_name(put_1.gateway);
            INSERT INTO history AS h (installation, gateway, role)
                SELECT each, put_1.gateway, session_user FROM unnest(installations) AS each
                ON CONFLICT (installation) DO UPDATE SET gateway = excluded.gateway, last = now()
                    WHERE h.role = session_user;
            SELECT array_agg(h.id ORDER BY place) INTO mine
                FROM unnest(installations) WITH ORDINALITY AS given(installation, place)
                LEFT JOIN history AS h ON h.installation = given.installation AND h.role = session_user;
            SELECT installations[r.h + 1] AS installation, r.seq INTO wrong
                FROM json_to_recordset(readings) AS r(h integer, seq bigint)
                WHERE mine[r.h + 1] IS NULL ORDER BY r.seq LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION 'the history belongs to another role'
                    USING ERRCODE = '\(conflict)', DETAIL = wrong.installation || ' ' || wrong.seq;
            END IF;

            SELECT array_agg(ROW(
                    h.id, r.seq, r.time, r.device, r.address, r.service, r.characteristic, r.recipe, r.instance, r.field,
                    r.unit, r.alias, r.name, r.value, r.text, r.error, r.clock_set, NOT h.received @> r.seq)::given
                    ORDER BY r.seq) INTO rows
                FROM json_to_recordset(readings) AS r(
                    h integer, seq bigint, time timestamptz, device text, address text, service text,
                    characteristic text, recipe text, instance integer, field text, unit text, alias text, name text,
                    value double precision, text text, error text, clock_set boolean)
                JOIN history AS h ON h.id = mine[r.h + 1];

            -- First, while no other gateway can wait for this one.
            FOR day IN SELECT DISTINCT (g.time AT TIME ZONE 'UTC')::date FROM unnest(rows) AS g WHERE g.is_new LOOP
                PERFORM make_day(day);
            END LOOP;

            INSERT INTO series (device, address, service, characteristic, recipe, instance, field, unit, alias, name)
                SELECT DISTINCT ON (device, address, service, characteristic, recipe, instance, field, unit)
                    device, address, service, characteristic, recipe, instance, field, unit, alias, name
                FROM unnest(rows) AS g
                WHERE NOT EXISTS (
                    SELECT FROM series AS s
                    WHERE (s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit)
                        = (g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit)
                        AND s.alias = g.alias AND s.name = g.name)
                ORDER BY device, address, service, characteristic, recipe, instance, field, unit, seq DESC
                ON CONFLICT (device, address, service, characteristic, recipe, instance, field, unit)
                    DO UPDATE SET alias = excluded.alias, name = excluded.name;

            -- A reading that came before must be the same now. Its day may be gone.
            IF EXISTS (SELECT FROM unnest(rows) AS g WHERE NOT g.is_new) THEN
                SELECT h.installation, g.seq INTO wrong
                    FROM unnest(rows) AS g
                    JOIN reading AS r ON r.history = g.history AND r.seq = g.seq
                    JOIN series AS s ON s.id = r.series
                    JOIN history AS h ON h.id = g.history
                    WHERE NOT g.is_new AND (
                        s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit, r.value,
                        r.text, r.error
                    ) IS DISTINCT FROM (
                        g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit, g.value,
                        g.text, g.error)
                    ORDER BY g.seq LIMIT 1;
                IF FOUND THEN
                    RAISE EXCEPTION 'another reading has this number'
                        USING ERRCODE = '\(conflict)', DETAIL = wrong.installation || ' ' || wrong.seq;
                END IF;
            END IF;

            INSERT INTO reading (history, seq, time, value, series, clock_set, text, error)
                SELECT g.history, g.seq, g.time, g.value, s.id, g.clock_set, g.text, g.error
                FROM unnest(rows) AS g
                JOIN series AS s
                    ON (s.device, s.address, s.service, s.characteristic, s.recipe, s.instance, s.field, s.unit)
                        = (g.device, g.address, g.service, g.characteristic, g.recipe, g.instance, g.field, g.unit)
                WHERE g.is_new;
            GET DIAGNOSTICS count = ROW_COUNT;
            UPDATE history AS h SET received = h.received + n.numbers
                FROM (
                    SELECT g.history, range_agg(int8range(g.seq, g.seq, '[]')) AS numbers
                    FROM unnest(rows) AS g WHERE g.is_new GROUP BY g.history
                ) AS n
                WHERE h.id = n.history;
            -- Old gaps are lost readings, and close.
            UPDATE history AS h SET received = int8multirange(int8range(lower(h.received), (
                    SELECT lower(part) FROM unnest(h.received) WITH ORDINALITY AS parts(part, place)
                    ORDER BY place DESC OFFSET 500 LIMIT 1))) + h.received
                WHERE h.id = ANY (mine) AND (SELECT count(*) FROM unnest(h.received)) > 1000;
            PERFORM drop_old() FROM setting WHERE cleaned < current_date;
            RETURN count;
        END $$;

        -- The numbers that came of each of these histories, in their order.
        CREATE FUNCTION blekeep.received_1(installations uuid[]) RETURNS SETOF int8multirange
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
            SELECT coalesce(h.received, '{}') FROM unnest(installations) WITH ORDINALITY AS given(installation, place)
            LEFT JOIN history AS h ON h.installation = given.installation AND h.role = session_user
            ORDER BY place;
        $$;

        -- What gateways say of themselves, and of their devices.
        CREATE TABLE blekeep.gateway (
            name text PRIMARY KEY,
            role name NOT NULL,         -- who may say it
            installation text NOT NULL, -- tells two machines of one name apart
            state json NOT NULL,
            devices json NOT NULL,
            seen timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);

        CREATE FUNCTION blekeep.report_1(gateway text, installation text, state json, devices json) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        BEGIN
            IF octet_length(state::text) + octet_length(devices::text) > 1048576 THEN
                RAISE EXCEPTION 'the report is too long' USING ERRCODE = 'invalid_parameter_value';
            END IF;
            PERFORM check_name(report_1.gateway);
            INSERT INTO gateway AS g (name, role, installation, state, devices)
                VALUES (report_1.gateway, session_user, report_1.installation, report_1.state, report_1.devices)
                ON CONFLICT (name) DO UPDATE
                    SET role = excluded.role, installation = excluded.installation, state = excluded.state,
                        devices = excluded.devices, seen = now()
                    WHERE session_user IN (g.role, g.name);
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the gateway''s name belongs to another role' USING ERRCODE = '\(nameOfRole)';
            END IF;
        END $$;

        CREATE FUNCTION blekeep.gateways_1()
        RETURNS TABLE (name text, installation text, state json, devices json, silence_ms bigint)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
            SELECT name, installation, state, devices, (extract(epoch FROM now() - seen) * 1000)::bigint FROM gateway
            ORDER BY name LIMIT 1000;
        $$;

        -- Lets a gateway join with a password that is good for an hour. For administrators.
        CREATE FUNCTION blekeep.invite_1(gateway text, verifier text) RETURNS void
        LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            words text := 'CREATE ROLE %I LOGIN PASSWORD %L VALID UNTIL %L IN ROLE \(gateways)';
        BEGIN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = gateway) THEN
                IF NOT pg_has_role(gateway::name, '\(gateways)', 'MEMBER')
                    OR (SELECT rolsuper FROM pg_roles WHERE rolname = gateway)
                THEN
                    RAISE EXCEPTION 'there is another role of the name %', gateway USING ERRCODE = 'duplicate_object';
                END IF;
                words := 'ALTER ROLE %I LOGIN PASSWORD %L VALID UNTIL %L';
            END IF;
            EXECUTE format(words, gateway, verifier, now() + interval '1 hour');
        END $$;

        -- Replaces the password of an invitation, which is good no more.
        CREATE FUNCTION blekeep.join_1(verifier text) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        BEGIN
            IF verifier !~ '^SCRAM-SHA-256[$]' THEN
                RAISE EXCEPTION 'the verifier is none of SCRAM-SHA-256' USING ERRCODE = 'invalid_parameter_value';
            END IF;
            EXECUTE format('ALTER ROLE %I PASSWORD %L VALID UNTIL %L', session_user, verifier, 'infinity');
        END $$;

        CREATE VIEW blekeep.readings AS
            SELECT r.time, h.gateway, s.device, s.alias, s.address, s.name, s.field, s.instance, s.unit, r.value, r.text,
                r.error, r.clock_set, r.received, h.installation, r.seq
            FROM blekeep.reading AS r
            JOIN blekeep.series AS s ON s.id = r.series
            JOIN blekeep.history AS h ON h.id = r.history;
        CREATE VIEW blekeep.newest AS
            SELECT r.time, h.gateway, s.device, s.alias, s.address, s.name, s.field, s.instance, s.unit, r.value, r.text,
                r.error
            FROM blekeep.series AS s
            CROSS JOIN LATERAL (
                SELECT * FROM blekeep.reading AS r WHERE r.series = s.id ORDER BY r.time DESC LIMIT 1) AS r
            JOIN blekeep.history AS h ON h.id = r.history;
        CREATE VIEW blekeep.hourly AS
            SELECT date_trunc('hour', r.time) AS time, s.device, s.alias, s.field, s.instance, s.unit,
                count(*) AS count, min(r.value) AS min, avg(r.value) AS mean, max(r.value) AS max
            FROM blekeep.reading AS r
            JOIN blekeep.series AS s ON s.id = r.series
            WHERE r.value IS NOT NULL
            GROUP BY 1, s.id;

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA blekeep FROM PUBLIC;
        GRANT USAGE ON SCHEMA blekeep TO \(gateways), \(readers);
        GRANT EXECUTE ON FUNCTION blekeep.put_1, blekeep.received_1, blekeep.report_1, blekeep.join_1 TO \(gateways);
        GRANT EXECUTE ON FUNCTION blekeep.gateways_1 TO \(gateways), \(readers);
        GRANT SELECT ON blekeep.readings, blekeep.newest, blekeep.hourly TO \(readers);
        """

    // MARK: 2: which gateway owns a device

    private static let ownership = """
        -- The gateways that share devices. Only their lease ends by itself, by this clock.
        CREATE TABLE blekeep.member (
            name text PRIMARY KEY,
            role name NOT NULL,         -- who may speak for it
            installation text NOT NULL, -- tells two machines of one name apart
            seen timestamptz NOT NULL DEFAULT now(), -- when it last said anything
            steady timestamptz NOT NULL DEFAULT now(), -- since when it has never missed a tick
            has_left boolean NOT NULL DEFAULT false -- whether it said that it ends
        ) WITH (fillfactor = 50);

        CREATE FUNCTION blekeep.is_alive(m blekeep.member) RETURNS boolean
        LANGUAGE sql STABLE AS $$ SELECT NOT m.has_left AND m.seen > now() - interval '30 s' $$;

        CREATE TABLE blekeep.owner (
            device text PRIMARY KEY,    -- the device's ID
            gateway text,               -- NULL: nobody, and each may claim it
            epoch bigint NOT NULL DEFAULT 1,
            since timestamptz NOT NULL DEFAULT now(),
            good_until timestamptz NOT NULL DEFAULT now() + interval '5 minutes', -- then another may claim it
            bonded boolean NOT NULL DEFAULT false, -- stays, because only its gateway has the keys
            heir text                   -- the gateway that may claim it first, for a minute
        ) WITH (fillfactor = 50);

        -- Worth nothing after a crash.
        CREATE UNLOGGED TABLE blekeep.heard (
            device text,
            gateway text,
            rssi smallint,              -- dBm
            time timestamptz NOT NULL,
            PRIMARY KEY (device, gateway)
        ) WITH (fillfactor = 50);

        CREATE FUNCTION blekeep.is_free(o blekeep.owner, claimer text, braked boolean) RETURNS boolean
        LANGUAGE sql STABLE SET search_path = blekeep, pg_temp AS $$
            SELECT CASE
                WHEN o.device IS NULL THEN true
                WHEN o.gateway = claimer THEN false
                WHEN o.gateway IS NULL THEN
                    o.heir IS NULL OR o.heir = claimer OR o.since < now() - interval '1 minute'
                WHEN o.bonded AND o.heir IS DISTINCT FROM claimer THEN false
                -- A gateway without a row isn't one that is gone: it may have just joined. And when the claimer missed a tick
                -- since the owner's last one, this database may have been away, or its clock may have jumped: then the owner
                -- has time to come back.
                ELSE EXISTS (
                    SELECT FROM member AS m, member AS c WHERE m.name = o.gateway AND c.name = claimer
                        AND CASE WHEN is_alive(m) THEN o.good_until < now()
                            ELSE NOT braked AND (c.steady <= m.seen OR c.steady < now() - interval '2 minutes') END)
            END
        $$;

        -- Whether so many gateways went silent at once that the fault is likely here, or in the network. Silent is who missed
        -- a tick, with 11 s until it counts as gone: when the first one does, the others of them are silent already.
        CREATE FUNCTION blekeep.is_braked() RETURNS boolean
        LANGUAGE sql STABLE SET search_path = blekeep, pg_temp AS $$
            SELECT count(*) FILTER (WHERE silent) >= 2
                AND count(*) FILTER (WHERE silent) * 4 >= count(*)
                AND bool_or(silent AND seen > now() - interval '90 s')
            FROM (
                SELECT seen, seen < now() - interval '19 s' AS silent
                FROM member WHERE seen > now() - interval '150 s' AND NOT has_left) AS m
        $$;

        -- Takes what a gateway says each 10 s, as objects, what it claims, and what it gives back, by device with the
        -- gateway that may have it first. Returns what is known of these devices.
        CREATE FUNCTION blekeep.tick_1(gateway text, installation text, devices json, claims text[], gives json)
        RETURNS json LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        DECLARE
            me text := tick_1.gateway;
            braked boolean;
            ids text[];
            answer json;
        BEGIN
            PERFORM check_name(me);
            -- The name of a role is its own, whoever had it before.
            DELETE FROM member AS m WHERE m.name = me AND m.name = session_user AND m.role <> session_user;
            INSERT INTO member AS m (name, role, installation) VALUES (me, session_user, tick_1.installation)
                ON CONFLICT (name) DO UPDATE SET seen = now(), has_left = false,
                        steady = CASE WHEN m.has_left OR m.seen < now() - interval '15 s' THEN now() ELSE m.steady END
                    WHERE m.role = session_user AND m.installation = excluded.installation;
            IF NOT FOUND THEN
                IF EXISTS (SELECT FROM member AS m WHERE m.name = me AND m.role = session_user) THEN
                    RAISE EXCEPTION 'another machine has this name' USING ERRCODE = '\(nameTaken)';
                END IF;
                RAISE EXCEPTION 'the gateway''s name belongs to another role' USING ERRCODE = '\(nameOfRole)';
            END IF;

            SELECT array_agg(d.id) INTO ids FROM json_to_recordset(devices) AS d(id text);
            IF cardinality(ids) > 10000 THEN
                RAISE EXCEPTION 'too many devices' USING ERRCODE = 'invalid_parameter_value';
            END IF;
            INSERT INTO heard AS h (device, gateway, rssi, time)
                SELECT d.id, me, d.rssi, now() - d.heard * interval '1 s'
                FROM json_to_recordset(devices) AS d(id text, rssi smallint, heard integer)
                WHERE d.heard IS NOT NULL ORDER BY d.id
                ON CONFLICT ON CONSTRAINT heard_pkey DO UPDATE SET rssi = excluded.rssi, time = excluded.time
                    WHERE h.rssi IS DISTINCT FROM excluded.rssi OR h.time < excluded.time - interval '20 s';

            -- In one order, so that no two gateways wait for each other.
            PERFORM FROM owner AS o WHERE o.device = ANY (ids) ORDER BY o.device FOR UPDATE;
            UPDATE owner AS o SET gateway = NULL, epoch = o.epoch + 1, since = now(), bonded = false, heir = g.value
                FROM json_each_text(gives) AS g WHERE o.device = g.key AND o.gateway = me;
            -- Who has just come back has time for a value. Who only restarts again and again has none.
            UPDATE owner AS o
                SET bonded = d.bonded, good_until = d.until
                FROM (
                    SELECT d.id, d.bonded, d.patience * interval '1 s'
                        + greatest(now() - d.age * interval '1 s', m.steady, mine.since) AS until
                    FROM json_to_recordset(devices) AS d(id text, bonded boolean, age integer, patience integer)
                    JOIN owner AS mine ON mine.device = d.id AND mine.gateway = me
                    JOIN member AS m ON m.name = me) AS d
                WHERE o.device = d.id AND (o.bonded <> d.bonded OR o.good_until < d.until - interval '1 minute');

            braked := is_braked();
            UPDATE owner AS o
                SET gateway = me, epoch = o.epoch + 1, since = now(), bonded = false, heir = NULL,
                    good_until = now() + interval '5 minutes'
                WHERE o.device = ANY (claims) AND o.device = ANY (ids) AND is_free(o, me, braked);
            INSERT INTO owner (device, gateway) SELECT id, me FROM unnest(ids) AS id WHERE id = ANY (claims) ORDER BY id
                ON CONFLICT DO NOTHING;

            SELECT json_agg(json_build_object(
                    'device', each.id, 'owner', o.gateway, 'epoch', coalesce(o.epoch, 0),
                    'isFree', is_free(o, me, braked), 'heir', o.heir, 'hearers', coalesce(hearers.list, '[]'::json))
                    ORDER BY each.id)
                INTO answer
                FROM unnest(ids) AS each(id)
                LEFT JOIN owner AS o ON o.device = each.id
                LEFT JOIN LATERAL (
                    SELECT json_agg(json_build_object('gateway', h.gateway, 'rssi', h.rssi) ORDER BY h.gateway) AS list
                    FROM heard AS h JOIN member AS m ON m.name = h.gateway
                    WHERE h.device = each.id AND h.gateway <> me AND h.time > now() - interval '1 minute'
                        AND is_alive(m)
                ) AS hearers ON true;
            RETURN json_build_object('devices', coalesce(answer, '[]'::json));
        END $$;

        -- Says that a gateway ends.
        CREATE FUNCTION blekeep.leave_1(gateway text, installation text) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
            UPDATE member SET seen = now(), has_left = true
                WHERE name = leave_1.gateway AND role = session_user AND installation = leave_1.installation;
        $$;

        -- Gives a name to this machine, after the other one has been gone for a lease at least.
        CREATE FUNCTION blekeep.adopt_1(gateway text, installation text) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        BEGIN
            UPDATE member SET installation = adopt_1.installation
                WHERE name = adopt_1.gateway AND role = session_user
                    AND (NOT is_alive(member) OR member.installation = adopt_1.installation);
            IF NOT FOUND AND EXISTS (SELECT FROM member WHERE name = adopt_1.gateway) THEN
                RAISE EXCEPTION 'another machine has this name' USING ERRCODE = '\(nameTaken)';
            END IF;
        END $$;

        -- Lets a device go to a gateway.
        CREATE FUNCTION blekeep.move_1(device text, gateway text) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        BEGIN
            IF NOT EXISTS (SELECT FROM member WHERE name = move_1.gateway AND is_alive(member)) THEN
                RAISE EXCEPTION 'no gateway % is online', move_1.gateway USING ERRCODE = 'no_data_found';
            END IF;
            INSERT INTO owner AS o (device, heir) VALUES (move_1.device, move_1.gateway)
                ON CONFLICT ON CONSTRAINT owner_pkey DO UPDATE
                    SET heir = excluded.heir, since = CASE WHEN o.gateway IS NULL THEN now() ELSE o.since END;
        END $$;

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA blekeep FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION blekeep.tick_1, blekeep.leave_1, blekeep.adopt_1, blekeep.move_1 TO \(gateways);
        """

    // MARK: 3: one configuration for all gateways

    private static let configuration = """
        -- The configurations that administrators gave to the fleet. None changes any more.
        CREATE TABLE blekeep.configuration (
            version integer PRIMARY KEY,
            digest text NOT NULL,       -- of `yaml`
            yaml text NOT NULL,
            comment text NOT NULL,
            author name NOT NULL DEFAULT session_user,
            created timestamptz NOT NULL DEFAULT now()
        );
        CREATE FUNCTION blekeep.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'a version of the configuration never changes';
        END $$;
        CREATE TRIGGER unchanged BEFORE UPDATE ON blekeep.configuration EXECUTE FUNCTION blekeep.refuse_change();

        -- Which version which gateways are to have. For each gateway, the last row that is for it counts.
        CREATE TABLE blekeep.assignment (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            version integer NOT NULL REFERENCES blekeep.configuration,
            gateways text[],            -- NULL: all
            author name NOT NULL DEFAULT session_user,
            time timestamptz NOT NULL DEFAULT now()
        );
        CREATE FUNCTION blekeep.meant_for(gateway text) RETURNS integer
        LANGUAGE sql STABLE SET search_path = blekeep, pg_temp AS $$
            SELECT version FROM assignment WHERE gateways IS NULL OR meant_for.gateway = ANY (gateways)
            ORDER BY id DESC LIMIT 1;
        $$;

        -- What each gateway runs.
        CREATE TABLE blekeep.running (
            gateway text PRIMARY KEY,
            role name NOT NULL,         -- who may say it
            version integer,            -- NULL: none
            refused integer,            -- the version that it refuses
            problem text,               -- why
            seen timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50);

        -- Takes what a gateway runs, and what it refused last. Versions come with their numbers and digests. Returns the
        -- version that is meant for it, if that is another one.
        CREATE FUNCTION blekeep.configure_1(
            gateway text, version integer, digest text, refused integer, refused_digest text, problem text)
        RETURNS TABLE (wanted integer, wanted_digest text, yaml text)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
        #variable_conflict use_column
        BEGIN
            PERFORM check_name(configure_1.gateway);
            INSERT INTO running AS g (gateway, role, version, refused, problem)
                VALUES (
                    configure_1.gateway, session_user, configure_1.version, configure_1.refused,
                    left(configure_1.problem, 2000))
                ON CONFLICT (gateway) DO UPDATE
                    SET role = excluded.role, version = excluded.version, refused = excluded.refused,
                        problem = excluded.problem, seen = now()
                    WHERE session_user IN (g.role, g.gateway);
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the gateway''s name belongs to another role' USING ERRCODE = '\(nameOfRole)';
            END IF;
            RETURN QUERY SELECT c.version, c.digest, c.yaml FROM configuration AS c
                WHERE c.version = meant_for(configure_1.gateway)
                    AND (c.version, c.digest) IS DISTINCT FROM (configure_1.version, configure_1.digest)
                    AND (c.version, c.digest) IS DISTINCT FROM (configure_1.refused, configure_1.refused_digest);
        END $$;

        -- Returns which version all are to have, with what each gateway has; NULL before there is any.
        CREATE FUNCTION blekeep.versions_1() RETURNS json
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = blekeep, pg_temp AS $$
            SELECT json_build_object(
                'all', (SELECT version FROM assignment WHERE gateways IS NULL ORDER BY id DESC LIMIT 1),
                'gateways', (
                    SELECT coalesce(json_object_agg(gateway, json_build_object(
                        'version', g.version, 'wanted', meant_for(gateway), 'refused', g.refused, 'problem', g.problem)),
                        '{}')
                    FROM (SELECT * FROM running ORDER BY gateway LIMIT 1000) AS g))
            WHERE EXISTS (SELECT FROM assignment);
        $$;

        -- For administrators: gives a configuration to some gateways, or to all, in place of the version that the author
        -- saw. The same text again has the same version. Returns it.
        CREATE FUNCTION blekeep.apply_1(yaml text, comment text, gateways text[], seen integer) RETURNS integer
        LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            sum text := encode(sha256(convert_to(yaml, 'UTF8')), 'hex');
            number integer;
            last assignment;
        BEGIN
            IF octet_length(yaml) > 1000000 THEN
                RAISE EXCEPTION 'the configuration is too long' USING ERRCODE = 'invalid_parameter_value';
            END IF;
            LOCK TABLE assignment IN EXCLUSIVE MODE;
            SELECT * INTO last FROM assignment ORDER BY id DESC LIMIT 1;
            IF last.version IS DISTINCT FROM seen THEN
                RAISE EXCEPTION '% gave version % meanwhile', last.author, last.version
                    USING ERRCODE = '\(versionNotSeen)';
            END IF;
            SELECT c.version INTO number FROM configuration AS c WHERE c.digest = sum;
            IF number IS NULL THEN
                SELECT coalesce(max(c.version), 0) + 1 INTO number FROM configuration AS c;
                INSERT INTO configuration (version, digest, yaml, comment)
                    VALUES (number, sum, apply_1.yaml, apply_1.comment);
            END IF;
            PERFORM assign(number, apply_1.gateways);
            RETURN number;
        END $$;

        CREATE FUNCTION blekeep.assign(version integer, gateways text[]) RETURNS void
        LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            last assignment;
        BEGIN
            SELECT * INTO last FROM assignment ORDER BY id DESC LIMIT 1;
            IF (last.version, last.gateways) IS DISTINCT FROM (assign.version, assign.gateways) THEN
                INSERT INTO assignment (version, gateways) VALUES (assign.version, assign.gateways);
            END IF;
        END $$;

        -- For administrators: gives a version to all gateways; NULL for the one that all had before some had another, or
        -- before they all had the last one. Returns it; NULL when there is none.
        CREATE FUNCTION blekeep.rollback_1(version integer) RETURNS integer
        LANGUAGE plpgsql SET search_path = blekeep, pg_temp AS $$
        DECLARE
            number integer := rollback_1.version;
            is_for_all boolean;
        BEGIN
            LOCK TABLE assignment IN EXCLUSIVE MODE;
            IF number IS NULL THEN
                SELECT gateways IS NULL INTO is_for_all FROM assignment ORDER BY id DESC LIMIT 1;
                SELECT a.version INTO number FROM assignment AS a WHERE a.gateways IS NULL ORDER BY a.id DESC LIMIT 1;
                IF is_for_all THEN
                    SELECT max(a.version) INTO number FROM assignment AS a
                        WHERE a.gateways IS NULL AND a.version < number;
                END IF;
            END IF;
            IF number IS NULL OR NOT EXISTS (SELECT FROM configuration AS c WHERE c.version = number) THEN
                RETURN NULL;
            END IF;
            PERFORM assign(number, NULL);
            RETURN number;
        END $$;

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA blekeep FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION blekeep.configure_1 TO \(gateways);
        GRANT EXECUTE ON FUNCTION blekeep.versions_1 TO \(gateways), \(readers);
        """
}
