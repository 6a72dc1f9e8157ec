/// The look of all pages, in light and dark, from phones to walls, and on paper.
enum Stylesheet {
    static let text = colors + frame + forms + cards + plots + tables + paper

    /// All texts have a contrast of at least 4.5 to their grounds.
    private static let colors = """
        :root { color-scheme: light dark; --ground: #f3f5f7; --card: #fff; --edge: #dde2e7; --text: #171b20; --faint: #59636e;
          --accent: #1a5fa8; --good: #1a7f37; --warn: #8a5800; --bad: #b3261e; --bad-ground: #fdf0ef; --warn-ground: #fdf6e7;
          --line: #2f6fae; --band: #2f6fae33; --grid: #e6eaee; --gap: #59636e; --rule: #c77700; --notice: #7b3fb5;
          --normal: #4c9a6a; --battery: #d9a400; --low: #de7212; --critical: #c4312b;
          --s0: #1f6fb2; --s1: #c2410c; --s2: #1f7a4d; --s3: #8b3fa8; --s4: #8a6d00; --s5: #c2255c; --s6: #0b7285; --s7: #6b4b3e; }

        """
        + "@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { \(dark) } }\n"
        + ":root[data-theme=dark] { \(dark) }\n:root[data-theme=light] { color-scheme: light; }\n"

    private static let dark = """
        color-scheme: dark; --ground: #0f1215; --card: #181c21; --edge: #2b323a; --text: #e8ebee; --faint: #9ba6b2;
        --accent: #86b9f2; --good: #63d07f; --warn: #e6b450; --bad: #ff8d84; --bad-ground: #2a1917; --warn-ground: #282114;
        --line: #7cb2ea; --band: #7cb2ea33; --grid: #262d34; --gap: #9ba6b2; --rule: #e6b450; --notice: #c792ea;
        --normal: #3f8f61; --battery: #c39a1c; --low: #d77a2a; --critical: #d4534d;
        --s0: #7cb2ea; --s1: #ff9a62; --s2: #63c78b; --s3: #cf94e6; --s4: #e0bb4d; --s5: #ff85ad; --s6: #5cc7d6; --s7: #c4a08f;
        """

    private static let forms = """
        input, select, button { font: inherit; font-size: .875rem; color: inherit; background: var(--card); padding: .3rem .6rem;
          border: 1px solid var(--edge); border-radius: .5rem; min-height: 2rem; max-width: 100%; }
        input[type=checkbox] { min-height: 0; accent-color: var(--accent); }
        button { cursor: pointer; }
        button:hover { border-color: var(--faint); }
        .filter, .span { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; font-size: .875rem; color: var(--faint); }
        .filter label, .span label { display: flex; align-items: center; gap: .4rem; }
        .filter input { width: 14rem; }
        .script .filter button { display: none; }
        .zone { font-size: .8125rem; }
        .choice summary { cursor: pointer; font-weight: 560; }
        .choice form { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; justify-items: start; margin-top: .5rem; }
        fieldset { border: 0; padding: 0; margin: 0; min-width: 0; max-width: 100%; } legend { color: var(--faint); font-size: .875rem; padding: 0 0 .35rem; }
        .boxes { display: flex; flex-wrap: wrap; gap: .35rem 1rem; }
        .boxes label { min-width: 0; overflow-wrap: anywhere; }
        .taste { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .75rem; }
        .taste button { color: var(--faint); }

        """

    private static let frame = """
        * { box-sizing: border-box; }
        html { font: 100%/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          background: var(--ground); color: var(--text); -webkit-text-size-adjust: 100%; }
        body { margin: 0 auto; padding: 0 1rem; max-width: 120rem; min-height: 100vh; display: flex; flex-direction: column; }
        h1, h2, h3, p, ul, dl, dd, figure { margin: 0; padding: 0; }
        ul { list-style: none; }
        h1 { font-size: 1.5rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
        h2 { font-size: 1.0625rem; line-height: 1.3; font-weight: 620; }
        h3 { font-size: .9375rem; font-weight: 620; }
        a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: .06em; }
        :focus-visible { outline: .1875rem solid var(--accent); outline-offset: .1875rem; border-radius: .25rem; }
        main:focus { outline: none; }
        main[data-kept] { filter: grayscale(1); }
        code { font: .9em ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; background: var(--ground);
          border: 1px solid var(--edge); border-radius: .25rem; padding: .05em .3em; overflow-wrap: anywhere; }
        time, dd, td, .number { font-variant-numeric: tabular-nums; }
        .top { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding: .75rem 0; }
        .brand span { font-weight: 400; color: var(--faint); }
        .brand { font-weight: 700; letter-spacing: -.01em; color: var(--text); text-decoration: none; }
        nav ul { display: flex; flex-wrap: wrap; gap: .25rem; }
        nav a { display: block; padding: .3rem .7rem; border-radius: .5rem; color: var(--faint); text-decoration: none; }
        nav a:hover { color: var(--text); }
        nav [aria-current] { background: var(--card); color: var(--text); box-shadow: 0 0 0 1px var(--edge); }
        .live { margin-left: auto; font-size: .8125rem; color: var(--faint); min-height: 1.45em; }
        .live:not(:empty)::before { content: ""; display: inline-block; width: .5rem; height: .5rem; margin-right: .45rem;
          border-radius: 50%; background: var(--good); }
        .still .live::before { background: var(--faint); border-radius: 0; }
        .lost .live { color: var(--bad); font-weight: 600; }
        .lost .live::before { background: var(--bad); border-radius: 0; }
        main { flex: 1; padding: .5rem 0 2rem; display: flex; flex-direction: column; gap: 1.25rem; }
        footer { padding: 1rem 0 1.5rem; font-size: .8125rem; color: var(--faint); }
        .script .gateway, .printed { display: none; }
        @media (max-width: 32rem) { nav { order: 1; width: 100%; margin: 0 -.5rem; } nav a { padding: .3rem .5rem; } }
        @media (min-width: 160rem) { html { font-size: 125%; } body { max-width: 190rem; } }
        .skip { position: absolute; left: -100vw; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
        .skip:focus { left: 1rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .nothing, .more { color: var(--faint); } .more { font-size: .875rem; }

        """

    private static let cards = """
        .summary { display: grid; gap: .6rem; }
        .summary.empty { background: var(--card); border: 1px solid var(--edge); border-radius: .75rem; padding: 2rem 1.5rem;
          max-width: 44rem; }
        .counts { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin-left: -.5rem; }
        .counts a { display: block; padding: .15rem .5rem; border-radius: .5rem; text-decoration: none; color: inherit; }
        .counts a:hover, .counts [aria-current] { background: var(--card); box-shadow: 0 0 0 1px var(--edge); }
        .tags { font-size: .875rem; }
        .alerts { display: grid; gap: .5rem; }
        .alerts li { padding: .6rem .8rem; border-radius: .5rem; border-left: .25rem solid var(--warn); background: var(--warn-ground);
          overflow-wrap: anywhere; max-width: 60rem; }
        .alerts .bad { border-color: var(--bad); background: var(--bad-ground); }
        .state { display: inline-flex; align-items: center; gap: .4rem; white-space: nowrap; font-weight: 560; }
        .mark { width: .85em; height: .85em; flex: none; fill: currentColor; }
        .mark .hollow { fill: none; stroke: currentColor; stroke-width: 2.5; }
        .state.good { color: var(--good); } .state.trying { color: var(--warn); }
        .state.alarm, .state.lost, .state.needs_user { color: var(--bad); } .state.new, .state.paused, .state.standby, .state.stale { color: var(--faint); }
        .stale, .stale h2 a, .stale .facts .low dd, .alerts .stale { color: var(--faint); }
        .stale .spark .line { stroke: var(--faint); }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1rem; align-items: start; }
        .card, .panel { background: var(--card); border: 1px solid var(--edge); border-radius: .75rem; padding: .9rem 1rem; }
        .card { position: relative; display: flex; flex-direction: column; gap: .7rem; min-width: 0; }
        .card.alarm, .card.lost, .card.needs_user { border-color: var(--bad); }
        .card header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .1rem .75rem; }
        .card h2 { flex: 1 1 7rem; min-width: 0; overflow-wrap: anywhere; }
        .card header .state { white-space: normal; }
        .card h2 a::after { content: ""; position: absolute; inset: 0; border-radius: .75rem; }
        .card:hover { border-color: var(--faint); }
        .card h2 a { display: block; min-height: 1.5rem; color: inherit; text-decoration-color: transparent; }
        .card h2 a:hover { text-decoration-color: currentColor; }
        .card header .state { font-size: .875rem; }
        .trouble { display: grid; gap: .35rem; font-size: .875rem; overflow-wrap: anywhere; }
        .trouble .cause { font-weight: 560; }
        .values { display: grid; grid-template-columns: minmax(6rem, 1fr) auto auto minmax(2rem, 6rem); gap: .3rem .75rem; }
        .values div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: center; }
        .values dt { color: var(--faint); font-size: .875rem; overflow-wrap: break-word; line-height: 1.25; min-width: 0; }
        .value { display: grid; grid-template-columns: subgrid; grid-column: span 2; align-items: baseline; column-gap: .3rem;
          text-align: right; white-space: nowrap; }
        .number { font-size: 1.125rem; font-weight: 620; }
        .number.word { font-size: .9375rem; font-weight: 500; white-space: normal; overflow-wrap: anywhere; }
        .unit { color: var(--faint); font-size: .8125rem; text-align: left; }
        .age { display: block; font-size: .75rem; white-space: nowrap; }
        .spark .line { stroke-linecap: round; }
        .spark { display: block; width: 100%; height: 1.5rem; }
        .facts { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin-top: auto; padding-top: .6rem;
          border-top: 1px solid var(--edge); font-size: .8125rem; }
        .facts div { display: flex; gap: .35rem; }
        .facts dt { color: var(--faint); }
        .facts dd { overflow-wrap: anywhere; }
        .facts .low dd { color: var(--warn); font-weight: 620; }
        @media (max-width: 40rem) {
          .many { gap: .4rem; }
          .many .card { gap: .15rem; padding: .45rem .75rem; }
          .many .card header { align-items: center; }
          .many h2 { font-size: 1rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
          .many .card header .state { font-size: .8125rem; }
          .many .values { display: flex; flex-wrap: wrap; gap: 0 .9rem; }
          .many .values div { display: block; }
          .many .values dt { display: inline; font-size: .8125rem; margin-right: .3rem; }
          .many .values .clear dt, .many .age, .many .trend, .many .facts, .many .advice, .many .more { display: none; }
          .many .value { display: inline; }
          .many .number { font-size: 1rem; }
          .many .cause { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; font-size: .8125rem; } }
        @media (max-width: 26rem) {
          .values { gap: .3rem .6rem; } }

        """

    private static let plots = """
        .line { fill: none; stroke: var(--line); stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
        rect.line { fill: var(--line); stroke: none; }
        .band { fill: var(--band); }
        .limit { fill: none; stroke: var(--rule); stroke-width: 1.5; stroke-dasharray: 6 4; vector-effect: non-scaling-stroke; }
        .grid { fill: none; stroke: var(--grid); stroke-width: 1; vector-effect: non-scaling-stroke; }
        .tick { stroke: var(--faint); }
        .special { fill: var(--warn); }
        .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1rem; }
        .plot figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem;
          margin-bottom: .9rem; }
        .numbers { color: var(--faint); font-size: .8125rem; font-variant-numeric: tabular-nums; }
        .graph { display: grid; grid-template-columns: 3rem minmax(0, 1fr); gap: .5rem; padding-right: 1.25rem; }
        .graph { position: relative; }
        .graph[role=slider] .area { cursor: crosshair; touch-action: pan-y; }
        .graph svg { display: block; overflow: visible; }
        .graph .lines { overflow: hidden; }
        .gap { fill: var(--gap); opacity: .18; } .failure { fill: var(--bad); } .rule { fill: var(--rule); } .notice { fill: var(--notice); }
        .area > .failure, .area > .rule, .area > .notice { stroke-width: 1.5; } .area > .failure { stroke: var(--bad); }
        .area > .rule { stroke: var(--rule); } .area > .notice { stroke: var(--notice); }
        .in-f, [data-unit=F] .in-c { display: none; } [data-unit=F] .in-f { display: inline; }
        .keys.marks { margin: 0; } .keys .gap { opacity: .4; }
        .course summary { cursor: pointer; font-size: .875rem; color: var(--faint); } .course details .panel { margin-top: .5rem; }
        .cross { position: absolute; top: 0; height: 160px; border-left: 1px solid var(--text); pointer-events: none; }
        .chosen { position: absolute; top: 0; height: 160px; background: var(--band); pointer-events: none; }
        .moment { position: absolute; top: .25rem; display: grid; padding: .3rem .5rem; border-radius: .375rem; pointer-events: none;
          background: var(--card); border: 1px solid var(--edge); font-size: .8125rem; max-width: min(75%, 17rem); z-index: 1;
          font-variant-numeric: tabular-nums; box-shadow: 0 1px 4px #0003; }
        .note { color: var(--faint); font-size: .75rem; line-height: 1.25; margin-top: .15rem; }
        .legend { display: grid; gap: .15rem; width: 100%; font-size: .875rem; }
        .legend svg { vertical-align: middle; margin-right: .25rem; overflow: visible; }
        .legend .line { stroke-width: 3; }
        .s0 { --line: var(--s0); } .s1 { --line: var(--s1); } .s2 { --line: var(--s2); } .s3 { --line: var(--s3); }
        .s4 { --line: var(--s4); } .s5 { --line: var(--s5); } .s6 { --line: var(--s6); } .s7 { --line: var(--s7); }
        .help { display: none; color: var(--faint); font-size: .8125rem; } .script .help { display: block; }
        .graph > svg { width: 100%; height: 184px; }
        .graph text { fill: var(--faint); font-size: .75rem; font-variant-numeric: tabular-nums; }
        @media (max-width: 34rem) { .minor { display: none; } }
        .graph.short > svg { height: 96px; }
        .graph.bands > svg { height: 48px; }
        .mode.normal { fill: var(--normal); } .mode.battery { fill: var(--battery); } .mode.low { fill: var(--low); }
        .mode.critical { fill: var(--critical); } .mode.gap { fill: var(--gap); }
        .keys { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .8125rem; color: var(--faint); margin: .5rem 0 1rem 3.5rem; }
        .mode { shape-rendering: crispEdges; }
        .keys li { display: flex; align-items: center; gap: .4rem; }
        .mode-key { width: .7rem; height: .7rem; }
        .panel h3 { margin-bottom: .9rem; }
        .share { display: block; width: min(100%, 20rem); height: .5rem; margin: .35rem 0; border-radius: .25rem; }
        .share .rest { fill: var(--grid); } .share .part { fill: var(--line); }
        .course { display: grid; gap: .75rem; }
        .ranges { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
        .ranges ul { display: flex; flex-wrap: wrap; gap: .25rem; }
        .ranges a { font-size: .875rem; }
        nav.ranges { width: auto; margin: 0; order: 0; }
        .files a { display: inline-block; padding: .2rem 0; }
        .files { font-size: .875rem; color: var(--faint); }

        """

    private static let tables = """
        .head { display: grid; gap: .5rem; }
        .address { color: var(--faint); font-size: .875rem; font-variant-numeric: tabular-nums; }
        .now { display: grid; gap: .9rem; margin-top: .5rem; }
        .now .values { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; }
        .now .values div { display: block; }
        .now .value { display: block; text-align: left; }
        .now .number { font-size: 1.75rem; line-height: 1.2; }
        .now .number.word { font-size: 1.25rem; }
        .now .trend { display: none; }
        .now summary { cursor: pointer; font-size: .875rem; color: var(--faint); }
        .head .state { white-space: normal; align-items: baseline; }
        .list { display: grid; grid-template-columns: fit-content(10rem) minmax(0, 1fr); gap: .45rem 1.5rem; }
        .list div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; }
        .list dt { color: var(--faint); }
        .list dd { overflow-wrap: anywhere; }
        .list .state { white-space: normal; align-items: baseline; }
        .alerts.lines li { border-left-color: var(--edge); background: var(--card); }
        .alerts.lines .warning { border-color: var(--warn); background: var(--warn-ground); }
        .alerts.lines .bad { border-color: var(--bad); background: var(--bad-ground); }
        h1 .state { white-space: normal; gap: .6rem; align-items: baseline; }
        .failing { display: grid; gap: .4rem; overflow-wrap: anywhere; } .failing .state { white-space: normal; font-size: .875rem; margin: 0 .35rem; }
        #values td, #values th { border-top: 0; padding: .15rem 1rem .15rem 0; } #values th[rowspan], #values th[rowspan] ~ td { border-top: 1px solid var(--edge); }
        table.narrow { width: auto; }
        .panel > h2 { margin-bottom: .6rem; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .875rem; }
        th, td { text-align: left; vertical-align: top; padding: .4rem 1rem .4rem 0; border-top: 1px solid var(--edge); font-weight: 400; }
        .dense th, .dense td { padding: .25rem 1rem .25rem 0; white-space: nowrap; }
        .dense .cells { white-space: normal; } .dense .cell { display: inline-block; min-width: 6rem; margin-right: .75rem; font-variant-numeric: tabular-nums; }
        .dense .low { color: var(--warn); }
        .values-table th, .values-table td { white-space: nowrap; }
        tr.mark td { color: var(--faint); white-space: normal; }
        thead th { border-top: 0; color: var(--faint); font-size: .8125rem; white-space: nowrap; }
        tbody th { font-weight: 560; } tbody th a { display: inline-block; min-height: 1.5rem; }
        td.count, th.count { text-align: right; white-space: nowrap; }
        .events td:first-child { color: var(--faint); white-space: nowrap; }
        .events td:last-child { overflow-wrap: anywhere; width: 100%; }
        .failed { color: var(--bad); } tr.failed { color: inherit; }
        @media (max-width: 26rem) { #values table { font-size: .75rem; } #values td, #values th { padding-right: .3rem; } }
        @media (min-width: 26rem) and (max-width: 40rem) {
          #values table { font-size: .8125rem; } #values td, #values th { padding-right: .4rem; } }
        @media (max-width: 40rem) {
          #values td { white-space: nowrap; }
          .events thead { display: none; } .events tr { display: block; border-top: 1px solid var(--edge); padding: .4rem 0; }
          .events td { display: inline; border: 0; padding: 0 .75rem 0 0; white-space: normal; }
          .events td:last-child { display: block; padding: 0; } }

        """

    private static let paper = """
        @media print {
          :root { color-scheme: light; --ground: #fff; --card: #fff; --edge: #999; --text: #000; --faint: #333; --good: #1a7f37;
            --warn: #8a5800; --bad: #b3261e; --bad-ground: #fff; --warn-ground: #fff; --line: #2f6fae; --band: #2f6fae33; }
          nav, .live, .skip, .ranges, .files, .filter, .span, .taste, .help, .choice { display: none !important; }
          :root[data-theme=dark], :root:not([data-theme=light]) { color-scheme: light; --ground: #fff; --card: #fff; --edge: #999;
            --text: #000; --faint: #333; --line: #2f6fae; --band: #2f6fae33; --grid: #ccc; }
          .card, figure, tr, .list div { break-inside: avoid; } h2, h3, .keys { break-after: avoid; }
          .printed { display: inline; } .graph, .spark { print-color-adjust: exact; }
          body { max-width: none; padding: 0; } }
        @media (prefers-reduced-motion: no-preference) { a { transition: color .15s; } }

        """
}
