// swift-format-ignore-file

/// The assigned units, one per line, sorted by number: `number|official name|symbol`.
///
/// The SIG assigns no symbols; blekeep chose these. A plain number has none.
/// Source: the Assigned Numbers of the Bluetooth SIG, mid-2026.
enum UnitTable {
    static let table = TextTable(
        """
        2700|unitless|
        2701|length (metre)|m
        2702|mass (kilogram)|kg
        2703|time (second)|s
        2704|electric current (ampere)|A
        2705|thermodynamic temperature (kelvin)|K
        2706|amount of substance (mole)|mol
        2707|luminous intensity (candela)|cd
        2710|area (square metres)|m²
        2711|volume (cubic metres)|m³
        2712|velocity (metres per second)|m/s
        2713|acceleration (metres per second squared)|m/s²
        2714|wavenumber (reciprocal metre)|1/m
        2715|density (kilogram per cubic metre)|kg/m³
        2716|surface density (kilogram per square metre)|kg/m²
        2717|specific volume (cubic metre per kilogram)|m³/kg
        2718|current density (ampere per square metre)|A/m²
        2719|magnetic field strength (ampere per metre)|A/m
        271a|amount concentration (mole per cubic metre)|mol/m³
        271b|mass concentration (kilogram per cubic metre)|kg/m³
        271c|luminance (candela per square metre)|cd/m²
        271d|refractive index|
        271e|relative permeability|
        2720|plane angle (radian)|rad
        2721|solid angle (steradian)|sr
        2722|frequency (hertz)|Hz
        2723|force (newton)|N
        2724|pressure (pascal)|Pa
        2725|energy (joule)|J
        2726|power (watt)|W
        2727|electric charge (coulomb)|C
        2728|electric potential difference (volt)|V
        2729|capacitance (farad)|F
        272a|electric resistance (ohm)|Ω
        272b|electric conductance (siemens)|S
        272c|magnetic flux (weber)|Wb
        272d|magnetic flux density (tesla)|T
        272e|inductance (henry)|H
        272f|Celsius temperature (degree Celsius)|°C
        2730|luminous flux (lumen)|lm
        2731|illuminance (lux)|lx
        2732|activity referred to a radionuclide (becquerel)|Bq
        2733|absorbed dose (gray)|Gy
        2734|dose equivalent (sievert)|Sv
        2735|catalytic activity (katal)|kat
        2740|dynamic viscosity (pascal second)|Pa·s
        2741|moment of force (newton metre)|N·m
        2742|surface tension (newton per metre)|N/m
        2743|angular velocity (radian per second)|rad/s
        2744|angular acceleration (radian per second squared)|rad/s²
        2745|heat flux density (watt per square metre)|W/m²
        2746|heat capacity (joule per kelvin)|J/K
        2747|specific heat capacity (joule per kilogram kelvin)|J/(kg·K)
        2748|specific energy (joule per kilogram)|J/kg
        2749|thermal conductivity (watt per metre kelvin)|W/(m·K)
        274a|energy density (joule per cubic metre)|J/m³
        274b|electric field strength (volt per metre)|V/m
        274c|electric charge density (coulomb per cubic metre)|C/m³
        274d|surface charge density (coulomb per square metre)|C/m²
        274e|electric flux density (coulomb per square metre)|C/m²
        274f|permittivity (farad per metre)|F/m
        2750|permeability (henry per metre)|H/m
        2751|molar energy (joule per mole)|J/mol
        2752|molar entropy (joule per mole kelvin)|J/(mol·K)
        2753|exposure (coulomb per kilogram)|C/kg
        2754|absorbed dose rate (gray per second)|Gy/s
        2755|radiant intensity (watt per steradian)|W/sr
        2756|radiance (watt per square metre steradian)|W/(m²·sr)
        2757|catalytic activity concentration (katal per cubic metre)|kat/m³
        2760|time (minute)|min
        2761|time (hour)|h
        2762|time (day)|d
        2763|plane angle (degree)|°
        2764|plane angle (minute)|′
        2765|plane angle (second)|″
        2766|area (hectare)|ha
        2767|volume (litre)|L
        2768|mass (tonne)|t
        2780|pressure (bar)|bar
        2781|pressure (millimetre of mercury)|mmHg
        2782|length (ångström)|Å
        2783|length (nautical mile)|nmi
        2784|area (barn)|b
        2785|velocity (knot)|kn
        2786|logarithmic radio quantity (neper)|Np
        2787|logarithmic radio quantity (bel)|B
        27a0|length (yard)|yd
        27a1|length (parsec)|pc
        27a2|length (inch)|in
        27a3|length (foot)|ft
        27a4|length (mile)|mi
        27a5|pressure (pound-force per square inch)|psi
        27a6|velocity (kilometre per hour)|km/h
        27a7|velocity (mile per hour)|mph
        27a8|angular velocity (revolution per minute)|rpm
        27a9|energy (gram calorie)|cal
        27aa|energy (kilogram calorie)|kcal
        27ab|energy (kilowatt hour)|kWh
        27ac|thermodynamic temperature (degree Fahrenheit)|°F
        27ad|percentage|%
        27ae|per mille|‰
        27af|period (beats per minute)|bpm
        27b0|electric charge (ampere hours)|Ah
        27b1|mass density (milligram per decilitre)|mg/dL
        27b2|mass density (millimole per litre)|mmol/L
        27b3|time (year)|yr
        27b4|time (month)|mo
        27b5|concentration (count per cubic metre)|1/m³
        27b6|irradiance (watt per square metre)|W/m²
        27b7|milliliter (per kilogram per minute)|mL/(kg·min)
        27b8|mass (pound)|lb
        27b9|metabolic equivalent|MET
        27ba|step (per minute)|steps/min
        27bc|stroke (per minute)|strokes/min
        27bd|pace (kilometre per minute)|km/min
        27be|luminous efficacy (lumen per watt)|lm/W
        27bf|luminous energy (lumen hour)|lm·h
        27c0|luminous exposure (lux hour)|lx·h
        27c1|mass flow (gram per second)|g/s
        27c2|volume flow (litre per second)|L/s
        27c3|sound pressure (decibel)|dB
        27c4|parts per million|ppm
        27c5|parts per billion|ppb
        27c6|mass density rate ((milligram per decilitre) per minute)|mg/(dL·min)
        27c7|Electrical Apparent Energy (kilovolt ampere hour)|kVAh
        27c8|Electrical Apparent Power (volt ampere)|VA
        27c9|Gravity (gn)|gₙ
        """)
}
