// swift-format-ignore-file

/// The companies, one per line, sorted by number: `number|name`. A name may contain a `|`.
/// Source: the Assigned Numbers of the Bluetooth SIG, mid-2026.
enum CompanyTable {
    static let table = TextTable(
        """
        0000|Ericsson AB
        0001|Nokia Mobile Phones
        0002|Intel Corp.
        0003|IBM Corp.
        0004|Toshiba Corp.
        0005|3Com
        0006|Microsoft
        0007|Lucent
        0008|Motorola
        0009|Infineon Technologies AG
        000a|Qualcomm Technologies International, Ltd. (QTIL)
        000b|Silicon Wave
        000c|Digianswer A/S
        000d|Texas Instruments Inc.
        000e|Parthus Technologies Inc.
        000f|Broadcom Corporation
        0010|Mitel Semiconductor
        0011|Widcomm, Inc.
        0012|Zeevo, Inc.
        0013|Atmel Corporation
        0014|Mitsubishi Electric Corporation
        0015|RTX A/S
        0016|KC Technology Inc.
        0017|Newlogic
        0018|Transilica, Inc.
        0019|Rohde & Schwarz GmbH & Co. KG
        001a|TTPCom Limited
        001b|Signia Technologies, Inc.
        001c|Conexant Systems Inc.
        001d|Qualcomm
        001e|Inventel
        001f|AVM Berlin
        0020|BandSpeed, Inc.
        0021|Mansella Ltd
        0022|NEC Corporation
        0023|WavePlus Technology Co., Ltd.
        0024|Alcatel
        0025|NXP B.V.
        0026|C Technologies
        0027|Open Interface
        0028|R F Micro Devices
        0029|Hitachi Ltd
        002a|Symbol Technologies, Inc.
        002b|Tenovis
        002c|Macronix International Co. Ltd.
        002d|GCT Semiconductor
        002e|Norwood Systems
        002f|MewTel Technology Inc.
        0030|ST Microelectronics
        0031|Synopsys, Inc.
        0032|Red-M (Communications) Ltd
        0033|Commil Ltd
        0034|Computer Access Technology Corporation (CATC)
        0035|Eclipse (HQ Espana) S.L.
        0036|Renesas Electronics Corporation
        0037|Mobilian Corporation
        0038|Syntronix Corporation
        0039|Integrated System Solution Corp.
        003a|Panasonic Holdings Corporation
        003b|Gennum Corporation
        003c|BlackBerry Limited
        003d|IPextreme, Inc.
        003e|Systems and Chips, Inc
        003f|Bluetooth SIG, Inc
        0040|Seiko Epson Corporation
        0041|Integrated Silicon Solution Taiwan, Inc.
        0042|CONWISE Technology Corporation Ltd
        0043|PARROT AUTOMOTIVE SAS
        0044|Socket Mobile
        0045|Atheros Communications, Inc.
        0046|MediaTek, Inc.
        0047|Bluegiga
        0048|Marvell Technology Group Ltd.
        0049|3DSP Corporation
        004a|Accel Semiconductor Ltd.
        004b|AUMOVIO Systems, Inc.
        004c|Apple, Inc.
        004d|Staccato Communications, Inc.
        004e|Avago Technologies
        004f|APT Ltd.
        0050|SiRF Technology, Inc.
        0051|Tzero Technologies, Inc.
        0052|J&M Corporation
        0053|Free2move AB
        0054|3DiJoy Corporation
        0055|Plantronics, Inc.
        0056|Sony Ericsson Mobile Communications
        0057|Harman International Industries, Inc.
        0058|Vizio, Inc.
        0059|Nordic Semiconductor ASA
        005a|EM Microelectronic-Marin SA
        005b|Ralink Technology Corporation
        005c|Belkin International, Inc.
        005d|Realtek Semiconductor Corporation
        005e|Stonestreet One, LLC
        005f|Wicentric, Inc.
        0060|RivieraWaves S.A.S
        0061|RDA Microelectronics
        0062|Gibson Guitars
        0063|MiCommand Inc.
        0064|Band XI International, LLC
        0065|HP, Inc.
        0067|GN Hearing
        0068|General Motors
        0069|A&D Engineering, Inc.
        006a|LTIMINDTREE LIMITED
        006b|Polar Electro OY
        006c|Beautiful Enterprise Co., Ltd.
        006e|Summit Data Communications, Inc.
        006f|Sound ID
        0070|Monster, LLC
        0071|connectBlue AB
        0072|ShangHai Super Smart Electronics Co. Ltd.
        0073|Group Sense Ltd.
        0074|Zomm, LLC
        0075|Samsung Electronics Co. Ltd.
        0076|Creative Technology Ltd.
        0077|Laird Connectivity LLC
        0078|Nike, Inc.
        0079|lesswire AG
        007a|MStar Semiconductor, Inc.
        007b|Hanlynn Technologies
        007d|Seers Technology Co., Ltd.
        007e|Sports Tracking Technologies Ltd.
        007f|Autonet Mobile
        0080|DeLorme Publishing Company, Inc.
        0081|WuXi Vimicro
        0082|DSEA A/S
        0083|TimeKeeping Systems, Inc.
        0084|Ludus Helsinki Ltd.
        0085|BlueRadios, Inc.
        0086|Equinux AG
        0087|Garmin International, Inc.
        0088|Ecotest
        0089|GN Hearing A/S
        008a|Jawbone
        008b|Topcon Positioning Systems, LLC
        008c|Gimbal Inc.
        008d|Zscan Software
        008e|Quintic Corp
        008f|Telit Wireless Solutions GmbH
        0090|Funai Electric Co., Ltd.
        0091|Advanced PANMOBIL systems GmbH & Co. KG
        0092|ThinkOptics, Inc.
        0093|Universal Electronics, Inc.
        0094|Airoha Technology Corp.
        0095|NEC Lighting, Ltd.
        0096|ODM Technology, Inc.
        0097|ConnecteDevice Ltd.
        0098|zero1.tv GmbH
        0099|i.Tech Dynamic Global Distribution Ltd.
        009a|Alpwise
        009b|Jiangsu Toppower Automotive Electronics Co., Ltd.
        009c|Colorfy, Inc.
        009d|Geoforce Inc.
        009e|Bose Corporation
        009f|Suunto Oy
        00a0|Kensington Computer Products Group
        00a1|SR-Medizinelektronik
        00a2|Vertu Corporation Limited
        00a3|Meta Watch Ltd.
        00a4|LINAK A/S
        00a5|OTL Dynamics LLC
        00a6|Panda Ocean Inc.
        00a7|Visteon Corporation
        00a8|ARP Devices Limited
        00a9|MARELLI EUROPE S.P.A.
        00aa|CAEN RFID srl
        00ab|Ingenieur-Systemgruppe Zahn GmbH
        00ac|Green Throttle Games
        00ad|Peter Systemtechnik GmbH
        00ae|Omegawave Oy
        00af|Cinetix
        00b0|Passif Semiconductor Corp
        00b1|Saris Cycling Group, Inc
        00b2|Bekey A/S
        00b3|Clarinox Technologies Pty. Ltd.
        00b4|BDE Technology Co., Ltd.
        00b5|Swirl Networks
        00b6|Meso international
        00b7|TreLab Ltd
        00b8|Qualcomm Innovation Center, Inc. (QuIC)
        00b9|Johnson Controls, Inc.
        00ba|Starkey Hearing Technologies
        00bb|S-Power Electronics Limited
        00bc|Ace Sensor Inc
        00bd|Aplix Corporation
        00be|AAMP of America
        00bf|Stalmart Technology Limited
        00c0|AMICCOM Electronics Corporation
        00c1|Shenzhen Excelsecu Data Technology Co.,Ltd
        00c2|Geneq Inc.
        00c3|adidas AG
        00c4|LG Electronics
        00c5|Onset Computer Corporation
        00c6|Selfly BV
        00c7|Quuppa Oy.
        00c8|GeLo Inc
        00c9|Evluma
        00ca|MC10
        00cb|Binauric SE
        00cc|Beats Electronics
        00cd|Microchip Technology Inc.
        00ce|Eve Systems GmbH
        00cf|ARCHOS SA
        00d0|Dexcom, Inc.
        00d1|Polar Electro Europe B.V.
        00d2|Renesas Design Netherlands B.V.
        00d3|Taixingbang Technology (HK) Co,. LTD.
        00d5|Austco Communication Systems
        00d6|Timex Group USA, Inc.
        00d7|Qualcomm Technologies, Inc.
        00d8|Qualcomm Connected Experiences, Inc.
        00d9|Voyetra Turtle Beach
        00da|txtr GmbH
        00db|Snuza (Pty) Ltd
        00dc|Procter & Gamble
        00dd|Hosiden Corporation
        00de|Muzik LLC
        00df|Misfit Wearables Corp
        00e0|Google
        00e1|Danlers Ltd
        00e2|Semilink Inc
        00e3|inMusic Brands, Inc
        00e4|L.S. Research, Inc.
        00e5|Eden Software Consultants Ltd.
        00e7|KS Technologies
        00e8|ACTS Technologies
        00e9|Vtrack Systems
        00ea|Nielsen-Kellerman
        00eb|Server Technology Inc.
        00ec|BioResearch Associates
        00ed|Jolly Logic, LLC
        00ee|Above Average Outcomes, Inc.
        00ef|Bitsplitters GmbH
        00f0|PayPal, Inc.
        00f1|Witron Technology Limited
        00f2|Morse Project Inc.
        00f3|Kent Displays Inc.
        00f4|Nautilus Inc.
        00f5|Smartifier Oy
        00f6|Elcometer Limited
        00f7|VSN Technologies, Inc.
        00f8|AceUni Corp., Ltd.
        00fa|Crystal Alarm AB
        00fb|KOUKAAM a.s.
        00fc|Delphi Corporation
        00fd|ValenceTech Limited
        00fe|Stanley Black and Decker
        00ff|Typo Products, LLC
        0100|TomTom International BV
        0101|Fugoo, Inc.
        0102|Keiser Corporation
        0103|Bang & Olufsen A/S
        0104|PLUS Location Systems Pty Ltd
        0105|Ubiquitous Computing Technology Corporation
        0106|Innovative Yachtter Solutions
        0107|Demant A/S
        0108|Chicony Electronics Co., Ltd.
        0109|Atus BV
        010a|Codegate Ltd
        010b|ERi, Inc
        010c|Transducers Direct, LLC
        010d|DENSO TEN Limited
        010e|Audi AG
        010f|HiSilicon Technologies CO., LIMITED
        0110|Nippon Seiki Co., Ltd.
        0111|Steelseries ApS
        0112|Visybl Inc.
        0113|Openbrain Technologies, Co., Ltd.
        0115|e.solutions
        0116|10AK Technologies
        0117|Wimoto Technologies Inc
        0118|Radius Networks, Inc.
        011a|Qualcomm Labs, Inc.
        011b|Hewlett Packard Enterprise
        011c|Baidu
        011d|Arendi AG
        011e|Skoda Auto a.s.
        011f|Volkswagen AG
        0120|Porsche AG
        0121|Sino Wealth Electronic Ltd.
        0122|AirTurn, Inc.
        0123|Kinsa, Inc
        0124|HID Global
        0125|SEAT es
        0126|Promethean Ltd.
        0127|Salutica Allied Solutions
        0128|GPSI Group Pty Ltd
        0129|Nimble Devices Oy
        012a|Changzhou Yongse Infotech  Co., Ltd.
        012b|SportIQ
        012c|TEMEC Instruments B.V.
        012d|Sony Corporation
        012e|ASSA ABLOY
        012f|Clarion Co. Inc.
        0130|Warehouse Innovations
        0131|Cypress Semiconductor
        0132|MADS Inc
        0133|Blue Maestro Limited
        0134|Resolution Products, Ltd.
        0135|Aireware LLC
        0136|Silvair, Inc.
        0137|Prestigio Plaza Ltd.
        0138|NTEO Inc.
        0139|Focus Systems Corporation
        013a|Tencent Holdings Ltd.
        013b|Allegion
        013c|Murata Manufacturing Co., Ltd.
        013d|WirelessWERX
        013e|Nod, Inc.
        0140|Alpine Electronics (China) Co., Ltd
        0141|FedEx Services
        0142|Grape Systems Inc.
        0143|Bkon Connect
        0144|Lintech GmbH
        0145|Novatel Wireless
        0146|Ciright
        0147|Mighty Cast, Inc.
        0148|Ambimat Electronics
        0149|Perytons Ltd.
        014a|Tivoli Audio, LLC
        014b|Master Lock
        014c|Mesh-Net Ltd
        014d|HUIZHOU DESAY SV AUTOMOTIVE CO., LTD.
        014e|Tangerine, Inc.
        014f|B&W Group Ltd.
        0150|Pioneer Corporation
        0151|OnBeep
        0152|Vernier Software & Technology
        0153|ROL Ergo
        0154|Pebble Technology
        0155|NETATMO
        0156|Accumulate AB
        0157|Anhui Huami Information Technology Co., Ltd.
        0158|Inmite s.r.o.
        0159|ChefSteps, Inc.
        015a|micas AG
        015b|Biomedical Research Ltd.
        015c|Pitius Tec S.L.
        015d|Estimote, Inc.
        015e|Unikey Technologies, Inc.
        015f|Timer Cap Co.
        0160|AwoX
        0161|yikes
        0162|MADSGlobalNZ Ltd.
        0163|PCH International
        0164|Qingdao Yeelink Information Technology Co., Ltd.
        0165|Milwaukee Electric Tools
        0166|MISHIK Pte Ltd
        0167|Ascensia Diabetes Care US Inc.
        0168|Spicebox LLC
        0169|emberlight
        016a|Copeland Cold Chain LP
        016b|Qblinks
        016c|MYSPHERA
        016d|LifeScan Inc
        016e|Volantic AB
        016f|Podo Labs, Inc
        0170|Roche Diabetes Care AG
        0171|Amazon.com Services LLC
        0172|Connovate Technology Private Limited
        0173|Kocomojo, LLC
        0174|Everykey Inc.
        0175|Dynamic Controls
        0176|SentriLock
        0177|I-SYST inc.
        0178|CASIO COMPUTER CO., LTD.
        0179|LAPIS Semiconductor Co.,Ltd
        017a|Telemonitor, Inc.
        017b|taskit GmbH
        017c|Mercedes-Benz Group AG
        017d|BatAndCat
        017e|BluDotz Ltd
        017f|XTel Wireless ApS
        0180|Gigaset Technologies GmbH
        0181|Gecko Health Innovations, Inc.
        0182|HOP Ubiquitous
        0183|Walt Disney
        0184|Nectar
        0186|CORE Lighting Ltd
        0187|Seraphim Sense Ltd
        0188|Unico RBC
        0189|Physical Enterprises Inc.
        018a|Able Trend Technology Limited
        018b|Konica Minolta, Inc.
        018c|Wilo SE
        018d|Extron Design Services
        018e|Google LLC
        0190|Intelletto Technologies Inc.
        0191|FDK CORPORATION
        0192|Cloudleaf, Inc
        0193|Maveric Automation LLC
        0194|Acoustic Stream Corporation
        0195|Zuli
        0196|Paxton Access Ltd
        0197|WiSilica Inc.
        0198|VENGIT Korlatolt Felelossegu Tarsasag
        0199|SALTO SYSTEMS S.L.
        019a|TRON Forum
        019b|CUBETECH s.r.o.
        019c|Cokiya Incorporated
        019d|CVS Health
        019e|Ceruus
        019f|Strainstall Ltd
        01a0|Channel Enterprises (HK) Ltd.
        01a1|FIAMM
        01a2|GIGALANE.CO.,LTD
        01a3|EROAD
        01a4|MSA Innovation, LLC
        01a5|Icon Health and Fitness
        01a6|Wille Engineering
        01a7|ENERGOUS CORPORATION
        01a8|Taobao
        01a9|Canon Inc.
        01aa|Geophysical Technology Inc.
        01ab|Meta Platforms, Inc.
        01ac|Trividia Health, Inc.
        01ad|FlightSafety International
        01af|Sunrise Micro Devices, Inc.
        01b0|Star Micronics Co., Ltd.
        01b1|Netizens Sp. z o.o.
        01b2|Nymi Inc.
        01b3|Nytec, Inc.
        01b4|Trineo Sp. z o.o.
        01b5|Nest Labs Inc.
        01b6|LM Technologies Ltd
        01b7|General Electric Company
        01b8|i+D3 S.L.
        01b9|HANA Micron
        01ba|Stages Cycling LLC
        01bb|Cochlear Bone Anchored Solutions AB
        01bc|SenionLab AB
        01bd|Syszone Co., Ltd
        01be|Pulsate Mobile Ltd.
        01bf|Hongkong OnMicro Electronics Limited
        01c1|BRADATECH Corp.
        01c2|Transenergooil AG
        01c4|DME Microelectronics
        01c5|Bitcraze AB
        01c6|HASWARE Inc.
        01c7|Abiogenix Inc.
        01c8|Poly-Control ApS
        01c9|Avi-on
        01ca|Laerdal Medical AS
        01cb|Fetch My Pet
        01cc|Sam Labs Ltd.
        01cd|Chengdu Synwing Technology Ltd
        01ce|HOUWA SYSTEM DESIGN, k.k.
        01cf|BSH
        01d0|Primus Inter Pares Ltd
        01d1|August Home, Inc
        01d2|Gill Electronics
        01d3|Sky Wave Design
        01d4|Newlab S.r.l.
        01d5|ELAD srl
        01d6|G-wearables inc.
        01d8|Code Corporation
        01d9|Savant Systems LLC
        01da|Logitech International SA
        01db|Innblue Consulting
        01dc|iParking Ltd.
        01dd|Koninklijke Philips N.V.
        01de|Minelab Electronics Pty Limited
        01df|Bison Group Ltd.
        01e0|Widex A/S
        01e1|Jolla Ltd
        01e3|Caterpillar Inc
        01e4|Freedom Innovations
        01e5|Dynamic Devices Ltd
        01e6|Technology Solutions (UK) Ltd
        01ea|Advanced Application Design, Inc.
        01ec|Spreadtrum Communications Shanghai Ltd
        01ed|CuteCircuit LTD
        01ee|Valeo Service
        01ef|Fullpower Technologies, Inc.
        01f0|KloudNation
        01f1|Zebra Technologies Corporation
        01f2|Itron, Inc.
        01f3|The University of Tokyo
        01f4|UTC Fire and Security
        01f5|Cool Webthings Limited
        01f6|DJO Global
        01f7|Gelliner Limited
        01f8|Anyka (Guangzhou) Microelectronics Technology Co, LTD
        01f9|Medtronic Inc.
        01fa|Gozio Inc.
        01fb|Form Lifting, LLC
        01fc|Wahoo Fitness, LLC
        01fd|Kontakt Micro-Location Sp. z o.o.
        01fe|Radio Systems Corporation
        01ff|Freescale Semiconductor, Inc.
        0200|Verifone Systems Pte Ltd. Taiwan Branch
        0201|AR Timing
        0202|Rigado LLC
        0203|Kemppi Oy
        0206|Otter Products, LLC
        0207|STEMP Inc.
        0208|LumiGeek LLC
        0209|InvisionHeart Inc.
        020a|Macnica Inc.
        020b|Jaguar Land Rover Limited
        020c|CoroWare Technologies, Inc
        020e|Omron Healthcare Co., LTD
        020f|Comodule GMBH
        0210|ikeGPS
        0211|Telink Semiconductor Co. Ltd
        0212|Interplan Co., Ltd
        0213|Wyler AG
        0214|IK Multimedia Production srl
        0215|Lukoton Experience Oy
        0216|MTI Ltd
        0217|Tech4home, Lda
        0219|DOTT Limited
        021a|Blue Speck Labs, LLC
        021b|Cisco Systems, Inc
        021c|Mobicomm Inc
        021d|Edamic
        021e|Goodnet, Ltd
        021f|Luster Leaf Products  Inc
        0220|Manus Machina BV
        0221|Mobiquity Networks Inc
        0222|Praxis Dynamics
        0223|Philip Morris Products S.A.
        0224|Comarch SA
        0225|Nestlé Nespresso S.A.
        0226|Merlinia A/S
        0227|LifeBEAM Technologies
        0228|Twocanoes Labs, LLC
        0229|Muoverti Limited
        022a|Stamer Musikanlagen GMBH
        022b|Tesla, Inc.
        022c|Pharynks Corporation
        022d|Lupine
        022e|Siemens AG
        0230|Foster Electric Company, Ltd
        0231|ETA SA
        0232|x-Senso Solutions Kft
        0233|Shenzhen SuLong Communication Ltd
        0234|FengFan (BeiJing) Technology Co, Ltd
        0235|Qrio Inc
        0236|Pitpatpet Ltd
        0237|MSHeli s.r.l.
        0238|Trakm8 Ltd
        0239|JIN CO, Ltd
        023a|Alatech Tehnology
        023b|Beijing CarePulse Electronic Technology Co, Ltd
        023d|ViCentra B.V.
        023e|Raven Industries
        023f|WaveWare Technologies Inc.
        0240|Argenox Technologies
        0241|Bragi GmbH
        0243|Masimo Corp
        0244|Iotera Inc
        0245|Endress+Hauser
        0246|ACKme Networks, Inc.
        0247|FiftyThree Inc.
        0248|Parker Hannifin Corp
        024a|Uwatec AG
        024b|Orlan LLC
        024c|Blue Clover Devices
        024d|M-Way Solutions GmbH
        024e|Microtronics Engineering GmbH
        024f|Schneider Schreibgeräte GmbH
        0250|Sapphire Circuits LLC
        0251|Lumo Bodytech Inc.
        0252|UKC Technosolution
        0253|Xicato Inc.
        0254|Playbrush
        0255|Dai Nippon Printing Co., Ltd.
        0256|G24 Power Limited
        0257|AdBabble Local Commerce Inc.
        0258|Devialet SA
        0259|ALTYOR
        025a|University of Applied Sciences Valais/Haute Ecole Valaisanne
        025b|Five Interactive, LLC dba Zendo
        025c|NetEase（Hangzhou）Network co.Ltd.
        025d|Lexmark International Inc.
        025e|Fluke Corporation
        025f|Yardarm Technologies
        0261|SECVRE GmbH
        0262|Glacial Ridge Technologies
        0263|Identiv, Inc.
        0264|DDS, Inc.
        0265|SMK Corporation
        0266|Schawbel Technologies LLC
        0267|XMI Systems SA
        0268|Cerevo
        0269|Torrox GmbH & Co KG
        026a|Gemalto
        026b|DEKA Research & Development Corp.
        026c|Domster Tadeusz Szydlowski
        026d|Technogym SPA
        026e|FLEURBAEY BVBA
        026f|Aptcode Solutions
        0270|LSI ADL Technology
        0271|Animas Corp
        0272|Alps Alpine Co., Ltd.
        0273|OCEASOFT
        0274|Motsai Research
        0275|Geotab
        0276|E.G.O. Elektro-Geraetebau GmbH
        0277|bewhere inc
        0278|Johnson Outdoors Inc
        0279|steute Schaltgerate GmbH & Co. KG
        027a|Ekomini inc.
        027b|DEFA AS
        027c|Aseptika Ltd
        027d|HUAWEI Technologies Co., Ltd.
        027e|HabitAware, LLC
        027f|ruwido austria gmbh
        0280|ITEC corporation
        0281|StoneL
        0282|Sonova AG
        0283|Maven Machines, Inc.
        0284|Synapse Electronics
        0285|WOWTech Canada Ltd.
        0286|RF Code, Inc.
        0287|Wally Ventures S.L.
        0289|SK Telecom
        028a|Jetro AS
        028b|Code Gears LTD
        028c|NANOLINK APS
        028e|RF Digital Corp
        028f|Church & Dwight Co., Inc
        0290|Multibit Oy
        0291|CliniCloud Inc
        0293|Blue Bite
        0294|ELIAS GmbH
        0295|Sivantos GmbH
        0296|Petzl
        0297|storm power ltd
        0298|EISST Ltd
        0299|Inexess Technology Simma KG
        029a|Currant, Inc.
        029b|C2 Development, Inc.
        029c|Blue Sky Scientific, LLC
        029d|ALOTTAZS LABS, LLC
        029e|Kupson spol. s r.o.
        029f|Areus Engineering GmbH
        02a0|Impossible Camera GmbH
        02a2|Sera4 Ltd.
        02a3|Itude
        02a4|Pacific Lock Company
        02a5|Tendyron Corporation
        02a6|Robert Bosch GmbH
        02a7|Illuxtron international B.V.
        02a8|miSport Ltd.
        02a9|Chargelib
        02aa|Doppler Lab
        02ab|BBPOS Limited
        02ac|RTB Elektronik GmbH & Co. KG
        02ad|Rx Networks, Inc.
        02ae|WeatherFlow, Inc.
        02af|Technicolor USA Inc.
        02b0|Bestechnic(Shanghai),Ltd
        02b1|Raden Inc
        02b2|Oura Health Oy
        02b3|CLABER S.P.A.
        02b4|Hyginex, Inc.
        02b5|HANSHIN ELECTRIC RAILWAY CO.,LTD.
        02b6|Schneider Electric
        02b7|Oort Technologies LLC
        02b8|Chrono Therapeutics
        02b9|Rinnai Corporation
        02ba|Swissprime Technologies AG
        02bb|YOKOWO CO., LTD.
        02bc|Genevac Ltd
        02bd|Chemtronics
        02be|Seguro Technology Sp. z o.o.
        02bf|Redbird Flight Simulations
        02c0|Dash Robotics
        02c1|LINE Corporation
        02c2|Guillemot Corporation
        02c3|Techtronic Power Tools Technology Limited
        02c4|Wilson Sporting Goods
        02c5|Lenovo (Singapore) Pte Ltd.
        02c6|Ayatan Sensors
        02c7|Electronics Tomorrow Limited
        02c8|OneSpan
        02c9|PayRange Inc.
        02ca|ABOV Semiconductor
        02cb|AINA-Wireless Inc.
        02cd|BMA ergonomics b.v.
        02ce|Teva Branded Pharmaceutical Products R&D, Inc.
        02cf|Anima
        02d0|3M
        02d1|Empatica Srl
        02d2|Afero, Inc.
        02d3|Powercast Corporation
        02d4|Secuyou ApS
        02d5|OMRON Corporation
        02d6|Send Solutions
        02d7|NIPPON SYSTEMWARE CO.,LTD.
        02d8|Neosfar
        02d9|Fliegl Agrartechnik GmbH
        02da|Gilvader
        02db|Digi International Inc (R)
        02dc|DeWalch Technologies, Inc.
        02dd|Flint Rehabilitation Devices, LLC
        02de|Samsung SDS Co., Ltd.
        02df|Blur Product Development
        02e0|University of Michigan
        02e1|Victron Energy BV
        02e2|NTT docomo
        02e3|Carmanah Technologies Corp.
        02e4|Bytestorm Ltd.
        02e5|Espressif Systems (Shanghai) Co., Ltd.
        02e6|Unwire
        02e7|Connected Yard, Inc.
        02e8|American Music Environments
        02e9|Sensogram Technologies, Inc.
        02ea|Fujitsu Limited
        02eb|Ardic Technology
        02ec|Delta Systems, Inc
        02ed|HTC Corporation
        02ee|Citizen Holdings Co., Ltd.
        02ef|SMART-INNOVATION.inc
        02f0|Blackrat Software
        02f1|The Idea Cave, LLC
        02f2|GoPro, Inc.
        02f3|AuthAir, Inc
        02f4|Vensi, Inc.
        02f5|Indagem Tech LLC
        02f6|Intemo Technologies
        02f8|Runteq Oy Ltd
        02f9|IMAGINATION TECHNOLOGIES LTD
        02fb|Clarius Mobile Health Corp.
        02fc|Shanghai Frequen Microelectronics Co., Ltd.
        02fe|Lierda Science & Technology Group Co., Ltd.
        02ff|Silicon Laboratories
        0300|World Moto Inc.
        0301|Giatec Scientific Inc.
        0302|Loop Devices, Inc
        0303|IACA electronique
        0304|Oura Health Ltd
        0305|Swipp ApS
        0306|Life Laboratory Inc.
        0307|FUJI INDUSTRIAL CO.,LTD.
        0308|Surefire, LLC
        0309|Dolby Labs
        030a|Ellisys
        030b|Magnitude Lighting Converters
        030c|Hilti AG
        030d|Devdata S.r.l.
        030f|Shortcut Labs
        0310|SGL Italia S.r.l.
        0311|PEEQ DATA
        0312|Ducere Technologies Pvt Ltd
        0313|DiveNav, Inc.
        0314|RIIG AI Sp. z o.o.
        0315|Thermo Fisher Scientific
        0316|AG Measurematics Pvt. Ltd.
        0317|CHUO Electronics CO., LTD.
        0318|Aspenta International
        0319|Eugster Frismag AG
        031a|Wurth Elektronik eiSos GmbH & Co. KG
        031b|HQ Inc
        031c|Lab Sensor Solutions
        031d|Enterlab ApS
        031e|Eyefi, Inc.
        031f|MetaSystem S.p.A.
        0320|SONO ELECTRONICS. CO., LTD
        0323|Rotor Bike Components
        0324|Astro, Inc.
        0325|Amotus Solutions
        0326|Healthwear Technologies (Changzhou)Ltd
        0327|Essex Electronics
        0328|Grundfos A/S
        0329|Eargo, Inc.
        032a|Electronic Design Lab
        032b|ESYLUX
        032c|NIPPON SMT.CO.,Ltd
        032d|BM innovations GmbH
        032e|indoormap
        032f|OttoQ Inc
        0330|North Pole Engineering
        0331|3flares Technologies Inc.
        0333|Mul-T-Lock
        0334|Airthings ASA
        0335|Enlighted Inc
        0336|GISTIC
        0337|AJP2 Holdings, LLC
        0338|COBI GmbH
        0339|Blue Sky Scientific, LLC
        033a|Appception, Inc.
        033b|Courtney Thorne Limited
        033c|Virtuosys
        033d|TPV Technology Limited
        033e|Monitra SA
        033f|Automation Components, Inc.
        0340|Letsense s.r.l.
        0341|Etesian Technologies LLC
        0342|GERTEC BRASIL LTDA.
        0343|Drekker Development Pty. Ltd.
        0344|Whirl Inc
        0345|Locus Positioning
        0346|Acuity Brands Lighting, Inc
        0347|Prevent Biometrics
        0349|VersaMe
        034b|Libratone A/S
        034c|HM Electronics, Inc.
        034d|TASER International, Inc.
        034f|Heartland Payment Systems
        0350|Bitstrata Systems Inc.
        0351|Pieps GmbH
        0352|iRiding(Xiamen)Technology Co.,Ltd.
        0353|Alpha Audiotronics, Inc.
        0354|TOPPAN FORMS CO.,LTD.
        0355|Sigma Designs, Inc.
        0356|Spectrum Brands, Inc.
        0357|Polymap Wireless
        0358|MagniWare Ltd.
        0359|Novotec Medical GmbH
        035a|Phillips-Medisize A/S
        035b|Matrix Inc.
        035c|Eaton Corporation
        035d|KYS
        035e|Naya Health, Inc.
        035f|Acromag
        0360|Insulet Corporation
        0361|Wellinks Inc.
        0362|ON Semiconductor
        0363|FREELAP SA
        0364|Favero Electronics Srl
        0365|BioMech Sensor LLC
        0366|BOLTT Sports technologies Private limited
        0368|Metormote AB
        0369|littleBits
        036a|SetPoint Medical
        036b|BRControls Products BV
        036c|Zipcar
        036d|AirBolt Pty Ltd
        036e|MOTIVE TECHNOLOGIES, INC.
        036f|Motiv, Inc.
        0370|Wazombi Labs OÜ
        0372|Nixie Labs, Inc.
        0373|AppNearMe Ltd
        0374|Holman Industries
        0375|Expain AS
        0376|Electronic Temperature Instruments Ltd
        0377|Plejd AB
        0378|Propeller Health
        0379|Shenzhen iMCO Electronic Technology Co.,Ltd
        037a|Algoria
        037b|Apption Labs Inc.
        037c|Cronologics Corporation
        037d|MICRODIA Ltd.
        037e|lulabytes S.L.
        037f|Société des Produits Nestlé S.A.
        0380|LLC "MEGA-F service"
        0381|Sharp Corporation
        0382|Precision Outcomes Ltd
        0383|Kronos Incorporated
        0385|Embedded Electronic Solutions Ltd. dba e2Solutions
        0386|Aterica Inc.
        0387|BluStor PMC, Inc.
        0388|Kapsch TrafficCom AB
        0389|ActiveBlu Corporation
        038a|Kohler Mira Limited
        038b|Noke
        038c|Appion Inc.
        038d|Resmed Ltd
        038e|Crownstone B.V.
        038f|Xiaomi Inc.
        0390|INFOTECH s.r.o.
        0391|Thingsquare AB
        0392|T&D
        0393|LAVAZZA S.p.A.
        0395|SDATAWAY
        0396|BLOKS GmbH
        0397|LEGO System A/S
        0398|Thetatronics Ltd
        0399|Nikon Corporation
        039a|NeST
        039b|South Silicon Valley Microelectronics
        039c|ALE International
        039d|CareView Communications, Inc.
        039e|SchoolBoard Limited
        039f|Molex Corporation
        03a0|IVT Wireless Limited
        03a1|Alpine Labs LLC
        03a2|Candura Instruments
        03a3|SmartMovt Technology Co., Ltd
        03a4|Token Zero Ltd
        03a5|ACE CAD Enterprise Co., Ltd. (ACECAD)
        03a6|Medela, Inc
        03a7|AeroScout
        03a8|Esrille Inc.
        03aa|Exon Sp. z o.o.
        03ab|Meizu Technology Co., Ltd.
        03ad|XiQ
        03ae|Allswell Inc.
        03af|Comm-N-Sense Corp DBA Verigo
        03b0|VIBRADORM GmbH
        03b1|Otodata Wireless Network Inc.
        03b2|Propagation Systems Limited
        03b3|Midwest Instruments & Controls
        03b4|Alpha Nodus, inc.
        03b5|petPOMM, Inc
        03b6|Mattel
        03b7|Airbly Inc.
        03b8|A-Safe Limited
        03b9|FREDERIQUE CONSTANT SA
        03ba|Maxscend Microelectronics Company Limited
        03bb|Abbott
        03bc|ASB Bank Ltd
        03bd|amadas
        03be|Applied Science, Inc.
        03bf|iLumi Solutions Inc.
        03c0|Arch Systems Inc.
        03c1|Ember Technologies, Inc.
        03c2|Snapchat Inc
        03c3|Casambi Technologies Oy
        03c4|Pico Technology Inc.
        03c5|St. Jude Medical, Inc.
        03c6|Intricon
        03c7|Structural Health Systems, Inc.
        03c8|Avvel International
        03c9|Gallagher Group
        03ca|In2things Automation Pvt. Ltd.
        03cb|SYSDEV Srl
        03cc|Vonkil Technologies Ltd
        03cd|Wynd Technologies, Inc.
        03ce|CONTRINEX S.A.
        03cf|MIRA, Inc.
        03d0|Watteam Ltd
        03d1|Density Inc.
        03d2|IOT Pot India Private Limited
        03d3|Sigma Connectivity AB
        03d4|PEG PEREGO SPA
        03d5|Wyzelink Systems Inc.
        03d6|Yota Devices LTD
        03d7|FINSECUR
        03d8|Zen-Me Labs Ltd
        03d9|3IWare Co., Ltd.
        03da|EnOcean GmbH
        03db|Instabeat, Inc
        03dc|Nima Labs
        03dd|Andreas Stihl AG & Co. KG
        03de|Nathan Rhoades LLC
        03df|Grob Technologies, LLC
        03e0|Actions Technology Co.,Ltd
        03e1|SPD Development Company Ltd
        03e2|Sensoan Oy
        03e3|Qualcomm Life Inc
        03e4|Chip-ing AG
        03e5|ffly4u
        03e6|IoT Instruments Oy
        03e7|TRUE Fitness Technology
        03e8|Reiner Kartengeraete GmbH & Co. KG.
        03e9|SHENZHEN LEMONJOY TECHNOLOGY CO., LTD.
        03ea|Hello Inc.
        03eb|Ozo Edu, Inc.
        03ec|Jigowatts Inc.
        03ed|BASIC MICRO.COM,INC.
        03ee|CUBE TECHNOLOGIES
        03ef|foolography GmbH
        03f0|CLINK
        03f1|Hestan Smart Cooking Inc.
        03f2|WindowMaster A/S
        03f4|PAL Technologies Ltd
        03f5|WHERE, Inc.
        03f6|Iton Technology Corp.
        03f7|Owl Labs Inc.
        03f8|Rockford Corp.
        03f9|Becon Technologies Co.,Ltd.
        03fa|Vyassoft Technologies Inc
        03fb|Nox Medical
        03fc|Kimberly-Clark
        03fd|Trimble Inc.
        03fe|Littelfuse
        03ff|Withings
        0400|i-developer IT Beratung UG
        0401|Relations Inc.
        0402|Sears Holdings Corporation
        0403|Gantner Electronic GmbH
        0404|Authomate Inc
        0405|Vertex International, Inc.
        0407|Swiss Audio SA
        0408|ToGetHome Inc.
        0409|RYSE INC.
        040a|ZF OPENMATICS s.r.o.
        040b|Jana Care Inc.
        040c|Senix Corporation
        040d|NorthStar Battery Company, LLC
        040e|SKF (U.K.) Limited
        040f|CO-AX Technology, Inc.
        0410|Fender Musical Instruments
        0411|Luidia Inc
        0412|SEFAM
        0413|Wireless Cables Inc
        0416|SODA GmbH
        0417|Fatigue Science
        0419|Novalogy LTD
        041a|Friday Labs Limited
        041b|OrthoAccel Technologies
        041c|WaterGuru, Inc.
        041d|Benning Elektrotechnik und Elektronik GmbH & Co. KG
        041e|Dell Computer Corporation
        041f|Kopin Corporation
        0420|TecBakery GmbH
        0421|Backbone Labs, Inc.
        0422|DELSEY SA
        0423|Chargifi Limited
        0424|Trainesense Ltd.
        0425|Unify Software and Solutions GmbH & Co. KG
        0426|Husqvarna AB
        0427|Focus fleet and fuel management inc
        0428|SmallLoop, LLC
        0429|Prolon Inc.
        042a|BD Medical
        042b|iMicroMed Incorporated
        042c|Ticto N.V.
        042d|Meshtech AS
        042e|MemCachier Inc.
        042f|Danfoss A/S
        0430|SnapStyk Inc.
        0431|Alticor Inc.
        0432|Silk Labs, Inc.
        0433|Pillsy Inc.
        0434|Hatch Baby, Inc.
        0435|Blocks Wearables Ltd.
        0436|Drayson Technologies (Europe) Limited
        0437|eBest IOT Inc.
        0438|Helvar Ltd
        0439|Radiance Technologies
        043a|Nuheara Limited
        043b|Appside co., ltd.
        043d|Coiler Corporation
        043e|Thermomedics, Inc.
        043f|Tentacle Sync GmbH
        0440|Valencell, Inc.
        0442|SECOM CO., LTD.
        0443|Tucker International LLC
        0444|Metanate Limited
        0445|Kobian Canada Inc.
        0446|NETGEAR, Inc.
        0447|Fabtronics Australia Pty Ltd
        0448|Grand Centrix GmbH
        0449|1UP USA.com llc
        044a|SHIMANO INC.
        044b|Nain Inc.
        044c|LifeStyle Lock, LLC
        044d|VEGA Grieshaber KG
        044e|Xtrava Inc.
        044f|TTS Tooltechnic Systems AG & Co. KG
        0450|Teenage Engineering AB
        0451|Tunstall Nordic AB
        0452|Svep Design Center AB
        0453|Qorvo Utrecht B.V.
        0454|Sphinx Electronics GmbH & Co KG
        0455|Atomation
        0456|Nemik Consulting Inc
        0457|RF INNOVATION
        0458|Mini Solution Co., Ltd.
        045a|2048450 Ontario Inc
        045c|Delta T Corporation
        045d|Boston Scientific Corporation
        045e|Nuviz, Inc.
        045f|Real Time Automation, Inc.
        0460|Kolibree
        0461|vhf elektronik GmbH
        0462|Bonsai Systems GmbH
        0463|Fathom Systems Inc.
        0464|Bellman & Symfon Group AB
        0465|International Forte Group LLC
        0467|Codenex Oy
        0468|Kynesim Ltd
        0469|Palago AB
        046a|INSIGMA INC.
        046b|PMD Solutions
        046c|Qingdao Realtime Technology Co., Ltd.
        046d|BEGA Gantenbrink-Leuchten KG
        046e|Pambor Ltd.
        046f|Develco Products A/S
        0470|iDesign s.r.l.
        0471|TiVo Corp
        0472|Control-J Pty Ltd
        0473|Steelcase, Inc.
        0474|iApartment co., ltd.
        0475|Icom inc.
        0477|Blue Spark Technologies
        0478|FarSite Communications Limited
        0479|mywerk system GmbH
        047a|Sinosun Technology Co., Ltd.
        047b|MIYOSHI ELECTRONICS CORPORATION
        047c|POWERMAT LTD
        047d|Occly LLC
        047e|OurHub Dev IvS
        047f|Pro-Mark, Inc.
        0481|Quintrax Limited
        0482|POS Tuning Udo Vosshenrich GmbH & Co. KG
        0484|Revol Technologies Inc
        0485|SKIDATA AG
        0486|DEV TECNOLOGIA INDUSTRIA, COMERCIO E MANUTENCAO DE EQUIPAMENTOS LTDA. - ME
        0487|Centrica Connected Home
        0488|Automotive Data Solutions Inc
        0489|Igarashi Engineering
        048a|Taelek Oy
        048c|Vectronix AG
        048d|S-Labs Sp. z o.o.
        048e|Companion Medical, Inc.
        048f|BlueKitchen GmbH
        0490|Matting AB
        0491|SOREX - Wireless Solutions GmbH
        0492|ADC Technology, Inc.
        0493|Lynxemi Pte Ltd
        0494|SENNHEISER electronic GmbH & Co. KG
        0496|Polymorphic Labs LLC
        0497|Cochlear Limited
        0498|METER Group, Inc. USA
        0499|Ruuvi Innovations Ltd.
        049a|Situne AS
        049b|nVisti, LLC
        049c|DyOcean
        049d|Uhlmann & Zacher GmbH
        049e|AND!XOR LLC
        049f|Popper Pay AB
        04a2|ovrEngineered, LLC
        04a3|GT-tronics HK Ltd
        04a4|Herbert Waldmann GmbH & Co. KG
        04a5|Guangzhou FiiO Electronics Technology Co.,Ltd
        04a6|Vinetech Co., Ltd
        04a7|Dallas Logic Corporation
        04a8|BioTex, Inc.
        04aa|LINKIO SAS
        04ab|Harbortronics, Inc.
        04ac|Undagrid B.V.
        04ad|Shure Inc
        04ae|ERM Electronic Systems LTD
        04af|BIOROWER Handelsagentur GmbH
        04b1|Kartographers Technologies Pvt. Ltd.
        04b2|The Shadow on the Moon
        04b3|mobike (Hong Kong) Limited
        04b4|Inuheat Group AB
        04b5|Swiftronix AB
        04b6|Diagnoptics Technologies
        04b7|Analog Devices, Inc.
        04b8|Soraa Inc.
        04b9|CSR Building Products Limited
        04ba|Crestron Electronics, Inc.
        04bb|Neatebox Ltd
        04bc|Draegerwerk AG & Co. KGaA
        04bd|AlbynMedical
        04be|Averos FZCO
        04bf|VIT Initiative, LLC
        04c0|Statsports International
        04c1|Sospitas, s.r.o.
        04c2|Dmet Products Corp.
        04c3|Mantracourt Electronics Limited
        04c4|TeAM Hutchins AB
        04c5|Seibert Williams Glass, LLC
        04c6|Insta GmbH
        04c7|Svantek Sp. z o.o.
        04c8|Shanghai Flyco Electrical Appliance Co., Ltd.
        04c9|Thornwave Labs Inc
        04ca|Steiner-Optik GmbH
        04cb|Novo Nordisk A/S
        04cd|Safetech Products LLC
        04ce|GOOOLED S.R.L.
        04cf|DOM Sicherheitstechnik GmbH & Co. KG
        04d0|Olympus Corporation
        04d1|KTS GmbH
        04d2|Anloq Technologies Inc.
        04d3|Queercon, Inc
        04d4|TASKA PROSTHETICS LIMITED
        04d5|Gooee Limited
        04d6|LUGLOC LLC
        04d7|Blincam, Inc.
        04d8|FUJIFILM Corporation
        04d9|RM Acquisition LLC
        04da|Franceschi Marina snc
        04db|Engineered Audio, LLC.
        04dc|IOTTIVE (OPC) PRIVATE LIMITED
        04dd|4MOD Technology
        04de|Lutron Electronics Co., Inc.
        04df|Emerson Electric Co.
        04e0|Guardtec, Inc.
        04e1|REACTEC LIMITED
        04e3|Under Armour
        04e4|Woodenshark
        04e5|Avack Oy
        04e6|Smart Solution Technology, Inc.
        04e8|STABILO International
        04e9|Busch Jaeger Elektro GmbH
        04ea|Pacific Bioscience Laboratories, Inc
        04eb|Bird Home Automation GmbH
        04ec|Motorola Solutions
        04ee|Auxivia
        04ef|DaisyWorks, Inc
        04f0|Kosi Limited
        04f1|Theben AG
        04f2|InDreamer Techsol Private Limited
        04f3|Cerevast Medical
        04f4|ZanCompute Inc.
        04f5|Pirelli Tyre S.P.A.
        04f6|McLear Limited
        04f7|Shenzhen Goodix Technology Co., Ltd
        04f8|Convergence Systems Limited
        04f9|Interactio
        04fa|Androtec GmbH
        04fb|Benchmark Drives GmbH & Co. KG
        04fc|SwingLync L. L. C.
        04fd|Tapkey GmbH
        04fe|Woosim Systems Inc.
        04ff|Microsemi Corporation
        0500|Wiliot LTD.
        0501|Polaris IND
        0502|Specifi-Kali LLC
        0503|Locoroll, Inc
        0504|PHYPLUS Inc
        0505|InPlay, Inc.
        0506|Hager
        0507|Yellowcog
        0508|Axes System sp. z o. o.
        0509|Garage Smart, Inc.
        050a|Shake-on B.V.
        050b|Vibrissa Inc.
        050c|OSRAM GmbH
        050d|TRSystems GmbH
        050e|Yichip Microelectronics (Hangzhou) Co.,Ltd.
        050f|Foundation Engineering LLC
        0510|UNI-ELECTRONICS, INC.
        0511|Brookfield Equinox LLC
        0512|Soprod SA
        0513|9974091 Canada Inc.
        0514|FIBRO GmbH
        0515|RB Controls Co., Ltd.
        0516|Footmarks
        0517|Amtronic Sverige AB
        0518|MAMORIO.inc
        0519|Tyto Life LLC
        051a|Leica Camera AG
        051c|EDPS
        051d|OFF Line Co., Ltd.
        051e|Detect Blue Limited
        051f|Setec Pty Ltd
        0520|Target Corporation
        0521|IAI Corporation
        0522|NS Tech, Inc.
        0523|MTG Co., Ltd.
        0524|Hangzhou iMagic Technology Co., Ltd
        0525|HONGKONG NANO IC TECHNOLOGIES  CO., LIMITED
        0526|Honeywell International Inc.
        0527|Albrecht JUNG
        0528|Lunera Lighting Inc.
        0529|Lumen UAB
        052a|Keynes Controls Ltd
        052b|Novartis AG
        052c|Geosatis SA
        052d|EXFO, Inc.
        052e|LEDVANCE GmbH
        052f|Center ID Corp.
        0530|Adolene, Inc.
        0531|D&M Holdings Inc.
        0532|CRESCO Wireless, Inc.
        0533|Nura Operations Pty Ltd
        0534|Frontiergadget, Inc.
        0535|Smart Component Technologies Limited
        0536|ZTR Control Systems LLC
        0537|MetaLogics Corporation
        0538|Medela AG
        0539|OPPLE Lighting Co., Ltd
        053a|Savitech Corp.,
        053b|prodigy
        053c|Screenovate Technologies Ltd
        053d|TESA SA
        053e|CLIM8 LIMITED
        053f|Silergy Corp
        0540|SilverPlus, Inc
        0541|Sharknet srl
        0542|Mist Systems, Inc.
        0543|MIWA LOCK CO.,Ltd
        0544|OrthoSensor, Inc.
        0546|Apexar Technologies S.A.
        0547|LOGICDATA Electronic & Software Entwicklungs GmbH
        0548|Knick Elektronische Messgeraete GmbH & Co. KG
        0549|Smart Technologies and Investment Limited
        054a|Linough Inc.
        054b|Advanced Electronic Designs, Inc.
        054c|Carefree Scott Fetzer Co Inc
        054d|Sensome
        054e|FORTRONIK storitve d.o.o.
        054f|Sinnoz
        0551|Sylero
        0552|Avempace SARL
        0553|Nintendo Co., Ltd.
        0554|National Instruments
        0555|KROHNE Messtechnik GmbH
        0556|Otodynamics Ltd
        0557|Arwin Technology Limited
        0558|benegear, inc.
        0559|Newcon Optik
        055a|CANDY HOUSE, Inc.
        055b|FRANKLIN TECHNOLOGY INC
        055c|Lely
        055d|Valve Corporation
        055e|Hekatron Vertriebs GmbH
        055f|PROTECH S.A.S. DI GIRARDI ANDREA & C.
        0560|Sarita CareTech APS
        0561|Finder S.p.A.
        0562|Thalmic Labs Inc.
        0563|Steinel Vertrieb GmbH
        0564|Beghelli Spa
        0566|CORE TRANSPORT TECHNOLOGIES NZ LIMITED
        0567|Xiamen Everesports Goods Co., Ltd
        0568|Bodyport Inc.
        056a|Flipnavi Co.,Ltd.
        056b|Rion Co., Ltd.
        056c|Long Range Systems, LLC
        056d|Redmond Industrial Group LLC
        056e|VIZPIN INC.
        056f|BikeFinder AS
        0570|Consumer Sleep Solutions LLC
        0571|PSIKICK, INC.
        0572|AntTail.com
        0573|Lighting Science Group Corp.
        0574|AFFORDABLE ELECTRONICS INC
        0575|Integral Memroy Plc
        0576|Globalstar, Inc.
        0577|True Wearables, Inc.
        0578|Wellington Drive Technologies Ltd
        057a|OMNI Remotes
        057b|Duracell U.S. Operations Inc.
        057c|Toor Technologies LLC
        057d|Instinct Performance
        057e|Beco, Inc
        057f|Scuf Gaming International, LLC
        0581|LYS TECHNOLOGIES LTD
        0582|Breakwall Analytics, LLC
        0583|Code Blue Communications
        0584|Gira Giersiepen GmbH & Co. KG
        0585|Hearing Lab Technology
        0586|LEGRAND
        0587|Derichs GmbH
        0588|ALT-TEKNIK LLC
        0589|Star Technologies
        058a|START TODAY CO.,LTD.
        058b|Maxim Integrated Products
        058c|Fracarro Radioindustrie SRL
        058d|Jungheinrich Aktiengesellschaft
        058e|Meta Platforms Technologies, LLC
        058f|HENDON SEMICONDUCTORS PTY LTD
        0590|Pur3 Ltd
        0591|Viasat Group S.p.A.
        0592|IZITHERM
        0593|Spaulding Clinical Research
        0594|Kohler Company
        0595|Inor Process AB
        0596|My Smart Blinds
        0597|RadioPulse Inc
        0598|rapitag GmbH
        0599|Lazlo326, LLC.
        059a|Teledyne Lecroy, Inc.
        059b|Dataflow Systems Limited
        059c|Macrogiga Electronics
        059d|Tandem Diabetes Care
        059e|Polycom, Inc.
        059f|Fisher & Paykel Healthcare
        05a0|Dream Devices Technologies Oy
        05a1|Shanghai Xiaoyi Technology Co.,Ltd.
        05a2|ADHERIUM(NZ) LIMITED
        05a3|Axiomware Systems Incorporated
        05a4|O. E. M. Controls, Inc.
        05a5|Kiiroo BV
        05a6|Telecon Mobile Limited
        05a7|Sonos Inc
        05a8|Tom Allebrandi Consulting
        05a9|Monidor
        05aa|Tramex Limited
        05ab|Nofence AS
        05ac|GoerTek Dynaudio Co., Ltd.
        05ad|INIA
        05ae|CARMATE MFG.CO.,LTD
        05af|OV LOOP, INC.
        05b0|NewTec GmbH
        05b1|Medallion Instrumentation Systems
        05b2|CAREL INDUSTRIES S.P.A.
        05b3|Parabit Systems, Inc.
        05b4|White Horse Scientific ltd
        05b5|verisilicon
        05b6|Elecs Industry Co.,Ltd.
        05b7|Beijing Pinecone Electronics Co.,Ltd.
        05b8|Ambystoma Labs Inc.
        05b9|Suzhou Pairlink Network Technology
        05ba|igloohome
        05bb|Oxford Metrics plc
        05bc|Leviton Mfg. Co., Inc.
        05bd|ULC Robotics Inc.
        05bf|Real-World-Systems Corporation
        05c0|Nalu Medical, Inc.
        05c1|P.I.Engineering
        05c2|Grote Industries
        05c3|Runtime, Inc.
        05c4|Codecoup sp. z o.o. sp. k.
        05c5|SELVE GmbH & Co. KG
        05c7|Lippert Components, INC
        05c8|SOMFY SAS
        05c9|TBS Electronics B.V.
        05ca|MHL Custom Inc
        05cb|LucentWear LLC
        05cc|WATTS ELECTRONICS
        05cd|RJ Brands LLC
        05ce|V-ZUG Ltd
        05cf|Biowatch SA
        05d0|Anova Applied Electronics
        05d1|Lindab AB
        05d2|frogblue TECHNOLOGY GmbH
        05d3|Acurable Limited
        05d4|LAMPLIGHT Co., Ltd.
        05d5|TEGAM, Inc.
        05d6|Zhuhai Jieli technology Co.,Ltd
        05d7|modum.io AG
        05d8|Farm Jenny LLC
        05d9|Toyo Electronics Corporation
        05da|Applied Neural Research Corp
        05db|Avid Identification Systems, Inc.
        05dc|Petronics Inc.
        05dd|essentim GmbH
        05de|QT Medical INC.
        05df|VIRTUALCLINIC.DIRECT LIMITED
        05e0|Viper Design LLC
        05e1|Human, Incorporated
        05e2|stAPPtronics GmbH
        05e3|Elemental Machines, Inc.
        05e4|Taiyo Yuden Co., Ltd
        05e5|INEO ENERGY& SYSTEMS
        05e6|Motion Instruments Inc.
        05e7|PressurePro
        05e8|COWBOY
        05e9|iconmobile GmbH
        05ea|ACS-Control-System GmbH
        05eb|Bayerische Motoren Werke AG
        05ec|Gycom Svenska AB
        05ed|Fuji Xerox Co., Ltd
        05ef|SIKOM AS
        05f0|beken
        05f1|The Linux Foundation
        05f2|Try and E CO.,LTD.
        05f3|SeeScan
        05f4|Clearity, LLC
        05f5|GS TAG
        05f6|DPTechnics
        05f7|TRACMO, INC.
        05f8|Anki Inc.
        05f9|Hagleitner Hygiene International GmbH
        05fa|Konami Sports Life Co., Ltd.
        05fb|Arblet Inc.
        05fc|Masbando GmbH
        05fd|Innoseis
        05fe|Niko nv
        05ff|Wellnomics Ltd
        0600|iRobot Corporation
        0601|Schrader Electronics
        0602|Geberit International AG
        0603|Fourth Evolution Inc
        0605|FMW electronic Futterer u. Maier-Wolf OHG
        0606|John Deere
        0607|Rookery Technology Ltd
        0608|KeySafe-Cloud
        0609|BUCHI Labortechnik AG
        060a|IQAir AG
        060b|Triax Technologies Inc
        060c|Vuzix Corporation
        060d|TDK Corporation
        060e|Blueair AB
        060f|Signify Netherlands B.V.
        0610|ADH GUARDIAN USA LLC
        0611|Beurer GmbH
        0612|Playfinity AS
        0613|Hans Dinslage GmbH
        0614|OnAsset Intelligence, Inc.
        0615|INTER ACTION Corporation
        0616|OS42 UG (haftungsbeschraenkt)
        0617|WIZCONNECTED COMPANY LIMITED
        0618|Audio-Technica Corporation
        0619|Six Guys Labs, s.r.o.
        061a|R.W. Beckett Corporation
        061b|silex technology, inc.
        061c|Univations Limited
        061d|SENS Innovation ApS
        061e|Diamond Kinetics, Inc.
        061f|Phrame Inc.
        0620|Forciot Oy
        0621|Noordung d.o.o.
        0622|Beam Labs, LLC
        0624|Biovotion AG
        0625|Square Panda, Inc.
        0626|Amplifico
        0627|WEG S.A.
        0628|Ensto Oy
        0629|PHONEPE PVT LTD
        062b|MinebeaMitsumi Inc.
        062c|ASPion GmbH
        062d|Vossloh-Schwabe Deutschland GmbH
        062e|Procept
        062f|ONKYO Corporation
        0630|Asthrea D.O.O.
        0631|Fortiori Design LLC
        0632|Hugo Muller GmbH & Co KG
        0633|Wangi Lai PLT
        0634|Fanstel Corp
        0635|Crookwood
        0636|ELECTRONICA INTEGRAL DE SONIDO S.A.
        0637|GiP Innovation Tools GmbH
        0638|LX SOLUTIONS PTY LIMITED
        0639|Shenzhen Minew Technologies Co., Ltd.
        063a|Prolojik Limited
        063b|Kromek Group Plc
        063c|Contec Medical Systems Co., Ltd.
        063d|Xradio Technology Co.,Ltd.
        063e|The Indoor Lab, LLC
        063f|LDL TECHNOLOGY
        0640|Dish Network LLC
        0641|Revenue Collection Systems FRANCE SAS
        0642|Bluetrum Technology Co.,Ltd
        0643|makita corporation
        0644|Apogee Instruments
        0645|BM3
        0646|SGV Group Holding GmbH & Co. KG
        0647|MED-EL
        0648|Ultune Technologies
        0649|Ryeex Technology Co.,Ltd.
        064a|Open Research Institute, Inc.
        064b|Scale-Tec, Ltd
        064c|Zumtobel Group AG
        064d|iLOQ Oy
        064e|KRUXWorks Technologies Private Limited
        064f|Digital Matter Pty Ltd
        0650|Coravin, Inc.
        0651|Stasis Labs, Inc.
        0652|ITZ Innovations- und Technologiezentrum GmbH
        0653|Meggitt SA
        0654|Ledlenser GmbH & Co. KG
        0655|Renishaw PLC
        0656|ZhuHai AdvanPro Technology Company Limited
        0657|Meshtronix Limited
        0658|Payex Norge AS
        0659|UnSeen Technologies Oy
        065a|Marshall Group AB
        065b|Sesam Solutions BV
        065c|PixArt Imaging Inc.
        065d|Panduit Corp.
        065e|Alo AB
        065f|Ricoh Company Ltd
        0660|RTC Industries, Inc.
        0661|Mode Lighting Limited
        0662|Particle Industries, Inc.
        0663|Advanced Telemetry Systems, Inc.
        0664|RHA TECHNOLOGIES LTD
        0665|Pure International Limited
        0666|WTO Werkzeug-Einrichtungen GmbH
        0667|Spark Technology Labs Inc.
        0668|Bleb Technology srl
        0669|Livanova USA, Inc.
        066a|Brady Worldwide Inc.
        066b|DewertOkin GmbH
        066c|Ztove ApS
        066d|Venso EcoSolutions AB
        066e|Eurotronik Kranj d.o.o.
        066f|Hug Technology Ltd
        0670|Gema Switzerland GmbH
        0671|Buzz Products Ltd.
        0672|Kopi
        0673|Innova Ideas Limited
        0674|BeSpoon
        0676|Expai Solutions Private Limited
        0677|Innovation First, Inc.
        0678|SABIK Offshore GmbH
        0679|4iiii Innovations Inc.
        067a|The Energy Conservatory, Inc.
        067b|I.FARM, INC.
        067c|Tile, Inc.
        067d|Form Athletica Inc.
        067f|NETGRID S.N.C. DI BISSOLI MATTEO, CAMPOREALE SIMONE, TOGNETTI FEDERICO
        0680|Mannkind Corporation
        0681|Trade FIDES a.s.
        0682|Photron Limited
        0683|Eltako GmbH
        0684|Dermalapps, LLC
        0685|Greenwald Industries
        0686|inQs Co., Ltd.
        0687|Cherry GmbH
        0688|Amsted Digital Solutions Inc.
        0689|Tacx b.v.
        068a|Raytac Corporation
        068b|Jiangsu Teranovo Tech Co., Ltd.
        068e|Razer Inc.
        068f|JRM Group Limited
        0690|Eccrine Systems, Inc.
        0691|Curie Point AB
        0692|Georg Fischer AG
        0693|Hach - Danaher
        0694|T&A Laboratories LLC
        0695|Koki Holdings Co., Ltd.
        0696|Gunakar Private Limited
        0697|Stemco Products Inc
        0698|Wood IT Security, LLC
        0699|RandomLab SAS
        069a|Adero, Inc.
        069b|Dragonchip Limited
        069c|Noomi AB
        069e|Delta Electronics, Inc.
        069f|FlowMotion Technologies AS
        06a0|OBIQ Location Technology Inc.
        06a1|Cardo Systems, Ltd
        06a2|Globalworx GmbH
        06a3|Nymbus, LLC
        06a4|LIMNO Co. Ltd.
        06a5|TEKZITEL PTY LTD
        06a6|Roambee Corporation
        06a7|Chipsea Technologies (ShenZhen) Corp.
        06a8|GD Midea Air-Conditioning Equipment Co., Ltd.
        06a9|Soundmax Electronics Limited
        06aa|Produal Oy
        06ab|HMS Industrial Networks AB
        06ac|Ingchips Technology Co., Ltd.
        06ad|InnovaSea Systems Inc.
        06ae|SenseQ Inc.
        06af|Shoof Technologies
        06b0|BRK Brands, Inc.
        06b1|SimpliSafe, Inc.
        06b2|Tussock Innovation 2013 Limited
        06b4|Sencilion Oy
        06b5|Wabilogic Ltd.
        06b6|Sociometric Solutions, Inc.
        06b7|iCOGNIZE GmbH
        06b8|ShadeCraft, Inc
        06b9|Beflex Inc.
        06ba|Beaconzone Ltd
        06bb|Leaftronix Analogic Solutions Private Limited
        06bc|TWS Srl
        06bd|ABB Oy
        06be|HitSeed Oy
        06c0|CAME S.p.A.
        06c1|Alarm.com Holdings, Inc
        06c2|Measurlogic Inc.
        06c3|King I Electronics.Co.,Ltd
        06c4|Dream Labs GmbH
        06c5|Urban Compass, Inc
        06c6|Simm Tronic Limited
        06c7|Somatix Inc
        06c8|Storz & Bickel GmbH & Co. KG
        06c9|MYLAPS B.V.
        06ca|Shenzhen Zhongguang Infotech Technology Development Co., Ltd
        06cb|Dyeware, LLC
        06cc|Dongguan SmartAction Technology Co.,Ltd.
        06cd|DIG Corporation
        06ce|FIOR & GENTZ
        06d0|Etekcity Corporation
        06d1|Meyer Sound Laboratories, Incorporated
        06d2|CeoTronics AG
        06d4|DYNAKODE TECHNOLOGY PRIVATE LIMITED
        06d5|Sensirion AG
        06d6|JCT Healthcare Pty Ltd
        06d7|FUBA Automotive Electronics GmbH
        06d8|AW Company
        06d9|Shanghai Mountain View Silicon Co.,Ltd.
        06da|Zliide Technologies ApS
        06db|Automatic Labs, Inc.
        06dc|Industrial Network Controls, LLC
        06dd|Intellithings Ltd.
        06de|Navcast, Inc.
        06df|HLI Solutions Inc.
        06e0|Avaya Inc.
        06e1|Milestone AV Technologies LLC
        06e2|Alango Technologies Ltd
        06e3|Spinlock Ltd
        06e4|Aluna
        06e5|OPTEX CO.,LTD.
        06e6|NIHON DENGYO KOUSAKU
        06e7|VELUX A/S
        06e8|Almendo Technologies GmbH
        06e9|Zmartfun Electronics, Inc.
        06ea|SafeLine Sweden AB
        06eb|Houston Radar LLC
        06ec|Sigur
        06ed|J Neades Ltd
        06ef|ALCARE Co., Ltd.
        06f0|Chargy Technologies, SL
        06f1|Shibutani Co., Ltd.
        06f2|Trapper Data AB
        06f3|Alfred International Inc.
        06f4|Touché Technology Ltd
        06f5|Vigil Technologies Inc.
        06f6|Vitulo Plus BV
        06f7|WILKA Schliesstechnik GmbH
        06f8|BodyPlus Technology Co.,Ltd
        06f9|happybrush GmbH
        06fa|Enequi AB
        06fb|Sartorius AG
        06fc|Tom Communication Industrial Co.,Ltd.
        06fd|ESS Embedded System Solutions Inc.
        06fe|Mahr GmbH
        06ff|Redpine Signals Inc
        0700|TraqFreq LLC
        0701|PAFERS TECH
        0702|Akciju sabiedriba "SAF TEHNIKA"
        0703|Beijing Jingdong Century Trading Co., Ltd.
        0704|JBX Designs Inc.
        0705|AB Electrolux
        0706|Wernher von Braun Center for ASdvanced Research
        0707|Essity Hygiene and Health Aktiebolag
        0708|Be Interactive Co., Ltd
        0709|Carewear Corp.
        070a|Huf Hülsbeck & Fürst GmbH & Co. KG
        070b|Element Products, Inc.
        070c|Beijing Winner Microelectronics Co.,Ltd
        070d|SmartSnugg Pty Ltd
        070e|FiveCo Sarl
        070f|California Things Inc.
        0710|Audiodo AB
        0711|ABAX AS
        0712|Bull Group Company Limited
        0713|Respiri Limited
        0714|MindPeace Safety LLC
        0715|MBARC LABS Inc
        0716|Altonics
        0718|IDIBAIX enginneering
        0719|COREIOT PTY LTD
        071a|REVSMART WEARABLE HK CO LTD
        071b|Precor
        071c|F5 Sports, Inc
        071d|exoTIC Systems
        071e|DONGGUAN HELE ELECTRONICS CO., LTD
        071f|Dongguan Liesheng Electronic Co.Ltd
        0720|Oculeve, Inc.
        0721|Clover Network, Inc.
        0722|Xiamen Eholder Electronics Co.Ltd
        0723|Ford Motor Company
        0724|Guangzhou SuperSound Information Technology Co.,Ltd
        0725|Tedee Sp. z o.o.
        0726|PHC Corporation
        0728|Eli Lilly and Company
        0729|SwaraLink Technologies
        072a|JMR embedded systems GmbH
        072b|Bitkey Inc.
        072c|GWA Hygiene GmbH
        072d|Safera Oy
        072e|Open Platform Systems LLC
        072f|OnePlus Electronics (Shenzhen) Co., Ltd.
        0730|Wildlife Acoustics, Inc.
        0731|ABLIC Inc.
        0732|Dairy Tech, LLC
        0733|Iguanavation, Inc.
        0734|DiUS Computing Pty Ltd
        0735|UpRight Technologies LTD
        0736|Luna XIO, Inc.
        0737|LLC Navitek
        0738|Glass Security Pte Ltd
        0739|Jiangsu Qinheng Co., Ltd.
        073a|Chandler Systems Inc.
        073b|Fantini Cosmi s.p.a.
        073d|Beijing Hao Heng Tian Tech Co., Ltd.
        073e|Bluepack S.R.L.
        073f|Beijing Unisoc Technologies Co., Ltd.
        0741|MAC SRL
        0742|DML LLC
        0743|Sanofi
        0744|SOCOMEC
        0745|WIZNOVA, Inc.
        0746|Seitec Elektronik GmbH
        0747|OR Technologies Pty Ltd
        0748|GuangZhou KuGou Computer Technology Co.Ltd
        0749|DIAODIAO (Beijing) Technology Co., Ltd.
        074a|Illusory Studios LLC
        074b|Sarvavid Software Solutions LLP
        074d|Amtech Systems, LLC
        074e|EAGLE DETECTION SA
        074f|MEDIATECH S.R.L.
        0750|Hamilton Professional Services of Canada Incorporated
        0751|Changsha JEMO IC Design Co.,Ltd
        0752|Elatec GmbH
        0753|JLG Industries, Inc.
        0754|Michael Parkin
        0755|Brother Industries, Ltd
        0756|Lumens For Less, Inc
        0757|ELA Innovation
        0758|umanSense AB
        0759|Shanghai InGeek Cyber Security Co., Ltd.
        075a|HARMAN CO.,LTD.
        075b|Smart Sensor Devices AB
        075c|Antitronics Inc.
        075d|RHOMBUS SYSTEMS, INC.
        075e|Katerra Inc.
        075f|Remote Solution Co., LTD.
        0760|Vimar SpA
        0761|Mantis Tech LLC
        0762|TerOpta Ltd
        0763|PIKOLIN S.L.
        0764|WWZN Information Technology Company Limited
        0765|Voxx International
        0766|ART AND PROGRAM, INC.
        0767|NITTO DENKO ASIA TECHNICAL CENTRE PTE. LTD.
        0768|Peloton Interactive Inc.
        0769|Force Impact Technologies
        076a|Dmac Mobile Developments, LLC
        076b|Engineered Medical Technologies
        076c|Noodle Technology inc
        076d|Graesslin GmbH
        076e|WuQi technologies, Inc.
        076f|Successful Endeavours Pty Ltd
        0770|InnoCon Medical ApS
        0771|Corvex Connected Safety
        0772|Thirdwayv Inc.
        0773|Echoflex Solutions Inc.
        0774|C-MAX Asia Limited
        0775|4eBusiness GmbH
        0776|Cyber Transport Control GmbH
        0777|Cue
        0778|KOAMTAC INC.
        0779|Loopshore Oy
        077a|Niruha Systems Private Limited
        077c|radius co., ltd.
        077d|Sensority, s.r.o.
        077e|Sparkage Inc.
        077f|Glenview Software Corporation
        0780|Finch Technologies Ltd.
        0781|Qingping Technology (Beijing) Co., Ltd.
        0782|DeviceDrive AS
        0783|ESEMBER LIMITED LIABILITY COMPANY
        0784|audifon GmbH & Co. KG
        0785|O2 Micro, Inc.
        0786|HLP Controls Pty Limited
        0788|BubblyNet, LLC
        0789|PCB Piezotronics, Inc.
        078a|The Wildflower Foundation
        078b|Optikam Tech Inc.
        078c|MINIBREW HOLDING B.V
        078d|Cybex GmbH
        078e|FUJIMIC NIIGATA, INC.
        078f|Hanna Instruments, Inc.
        0790|KOMPAN A/S
        0791|Scosche Industries, Inc.
        0792|Cricut, Inc.
        0793|AEV spol. s r.o.
        0794|The Coca-Cola Company
        0795|GASTEC CORPORATION
        0796|StarLeaf Ltd
        0797|Water-i.d. GmbH
        0798|HoloKit, Inc.
        0799|PlantChoir Inc.
        079a|GuangDong Oppo Mobile Telecommunications Corp., Ltd.
        079b|CST ELECTRONICS (PROPRIETARY) LIMITED
        079c|Sky UK Limited
        079d|Digibale Pty Ltd
        079e|Smartloxx GmbH
        079f|Pune Scientific LLP
        07a0|Regent Beleuchtungskorper AG
        07a1|Apollo Neuroscience, Inc.
        07a2|Roku, Inc.
        07a4|Xiamen Mage Information Technology Co., Ltd.
        07a5|RAB Lighting, Inc.
        07a6|Musen Connect, Inc.
        07a7|Zume, Inc.
        07a8|conbee GmbH
        07a9|Bruel & Kjaer Sound & Vibration
        07aa|The Kroger Co.
        07ab|Granite River Solutions, Inc.
        07ac|LoupeDeck Oy
        07ad|New H3C Technologies Co.,Ltd
        07ae|Aurea Solucoes Tecnologicas Ltda.
        07af|Hong Kong Bouffalo Lab Limited
        07b0|GV Concepts Inc.
        07b1|Thomas Dynamics, LLC
        07b2|Moeco IOT Inc.
        07b3|2N TELEKOMUNIKACE a.s.
        07b4|Hormann KG Antriebstechnik
        07b5|CRONO CHIP, S.L.
        07b6|Soundbrenner Limited
        07b7|ETABLISSEMENTS GEORGES RENAULT
        07b8|iSwip
        07b9|Epona Biotec Limited
        07ba|Battery-Biz Inc.
        07bb|EPIC S.R.L.
        07bc|KD CIRCUITS LLC
        07bd|Genedrive Diagnostics Ltd
        07be|Axentia Technologies AB
        07bf|REGULA Ltd.
        07c0|Biral AG
        07c2|Radinn AB
        07c3|CIMTechniques, Inc.
        07c4|Johnson Health Tech NA
        07c5|June Life, Inc.
        07c6|Bluenetics GmbH
        07c7|iaconicDesign Inc.
        07c8|WRLDS Creations AB
        07c9|Skullcandy, Inc.
        07ca|Modul-System HH AB
        07cb|West Pharmaceutical Services, Inc.
        07cc|Barnacle Systems Inc.
        07cd|Smart Wave Technologies Canada Inc
        07ce|Shanghai Top-Chip Microelectronics Tech. Co., LTD
        07cf|NeoSensory, Inc.
        07d0|Hangzhou Tuya Information  Technology Co., Ltd
        07d1|Shanghai Panchip Microelectronics Co., Ltd
        07d2|React Accessibility Limited
        07d3|LIVNEX Co.,Ltd.
        07d4|Kano Computing Limited
        07d5|hoots classic GmbH
        07d6|ecobee Inc.
        07d7|Nanjing Qinheng Microelectronics Co., Ltd
        07d8|SOLUTIONS AMBRA INC.
        07d9|Micro-Design, Inc.
        07da|STARLITE Co., Ltd.
        07db|Remedee Labs
        07dc|ThingOS GmbH & Co KG
        07dd|Linear Circuits
        07de|Unlimited Engineering SL
        07df|Snap-on Incorporated
        07e0|Edifier International Limited
        07e1|Lucie Labs
        07e2|Alfred Kaercher SE & Co. KG
        07e3|Airoha Technology Corp.
        07e4|Geeksme S.L.
        07e5|Minut, Inc.
        07e6|Waybeyond Limited
        07e7|Komfort IQ, Inc.
        07e8|Packetcraft, Inc.
        07e9|Häfele GmbH & Co KG
        07ea|ShapeLog, Inc.
        07eb|NOVABASE S.R.L.
        07ec|Frecce LLC
        07ed|Joule IQ, INC.
        07ee|KidzTek LLC
        07ef|Aktiebolaget Sandvik Coromant
        07f0|e-moola.com Pty Ltd
        07f1|Zimi Innovations Pty Ltd
        07f2|SERENE GROUP, INC
        07f3|DIGISINE ENERGYTECH CO. LTD.
        07f4|MEDIRLAB Orvosbiologiai Fejleszto Korlatolt Felelossegu Tarsasag
        07f5|Byton North America Corporation
        07f6|Shenzhen TonliScience and Technology Development Co.,Ltd
        07f7|Cesar Systems Ltd.
        07f8|quip NYC Inc.
        07f9|Direct Communication Solutions, Inc.
        07fa|Klipsch Group, Inc.
        07fb|Access Co., Ltd
        07fc|Renault SA
        07fd|JSK CO., LTD.
        07fe|BIROTA
        07ff|maxon motor ltd.
        0800|Optek
        0801|CRONUS ELECTRONICS LTD
        0802|NantSound, Inc.
        0803|Domintell s.a.
        0804|Andon Health Co.,Ltd
        0805|Urbanminded Ltd
        0806|TYRI Sweden AB
        0807|ECD Electronic Components GmbH Dresden
        0808|SISTEMAS KERN, SOCIEDAD ANÓMINA
        0809|Trulli Audio
        080a|Altaneos
        080b|Nanoleaf Canada Limited
        080c|Ingy B.V.
        080d|Azbil Co.
        080e|TATTCOM LLC
        080f|Paradox Engineering SA
        0810|LECO Corporation
        0811|Becker Antriebe GmbH
        0812|Mstream Technologies., Inc.
        0813|Flextronics International USA Inc.
        0814|Ossur hf.
        0815|SKC Inc
        0816|SPICA SYSTEMS LLC
        0817|Wangs Alliance Corporation
        0818|tatwah SA
        0819|Hunter Douglas Inc
        081a|Shenzhen Conex
        081b|DIM3
        081c|Bobrick Washroom Equipment, Inc.
        081d|Potrykus Holdings and Development LLC
        081e|iNFORM Technology GmbH
        081f|eSenseLab LTD
        0820|Brilliant Home Technology, Inc.
        0821|INOVA Geophysical, Inc.
        0822|adafruit industries
        0823|Nexite Ltd
        0824|8Power Limited
        0825|CME PTE. LTD.
        0826|Hyundai Motor Company
        0827|Kickmaker
        0828|Shanghai Suisheng Information Technology Co., Ltd.
        0829|HEXAGON METROLOGY DIVISION ROMER
        082a|Mitutoyo Corporation
        082b|shenzhen fitcare electronics Co.,Ltd
        082c|INGICS TECHNOLOGY CO., LTD.
        082d|INCUS PERFORMANCE LTD.
        082e|ABB S.p.A.
        082f|Blippit AB
        0831|Foxble, LLC
        0832|Intermotive,Inc.
        0833|Conneqtech B.V.
        0834|RIKEN KEIKI CO., LTD.,
        0835|Canopy Growth Corporation
        0836|Bitwards Oy
        0837|vivo Mobile Communication Co., Ltd.
        0838|Etymotic Research, Inc.
        0839|A puissance 3
        083a|BPW Bergische Achsen Kommanditgesellschaft
        083b|Piaggio Fast Forward
        083c|BeerTech LTD
        083d|Tokenize, Inc.
        083e|Zorachka LTD
        083f|D-Link Corp.
        0840|Down Range Systems LLC
        0841|General Luminaire (Shanghai) Co., Ltd.
        0842|Tangshan HongJia electronic technology co., LTD.
        0843|FRAGRANCE DELIVERY TECHNOLOGIES LTD
        0844|Pepperl + Fuchs GmbH
        0845|Dometic Corporation
        0846|USound GmbH
        0847|DNANUDGE LIMITED
        0848|JUJU JOINTS CANADA CORP.
        0849|Dopple Technologies B.V.
        084a|ARCOM
        084b|Biotechware SRL
        084c|ORSO Inc.
        084d|SafePort
        084e|Carol Cole Company
        084f|Embedded Fitness B.V.
        0850|Yealink (Xiamen) Network Technology Co.,LTD
        0851|Subeca, Inc.
        0852|Cognosos, Inc.
        0853|Pektron Group Limited
        0854|Tap Sound System
        0855|Helios Sports, Inc.
        0856|Canopy Growth Corporation
        0857|Parsyl Inc
        0858|SOUNDBOKS
        0859|BlueUp
        085a|DAKATECH
        085b|Nisshinbo Micro Devices Inc.
        085c|ACOS CO.,LTD.
        085d|Guilin Zhishen Information Technology Co.,Ltd.
        085e|Krog Systems LLC
        0860|Alflex Products B.V.
        0861|SmartSensor Labs Ltd
        0862|SmartDrive
        0863|Yo-tronics Technology Co., Ltd.
        0864|Rafaelmicro
        0865|Emergency Lighting Products Limited
        0866|LAONZ Co.,Ltd
        0867|Western Digital Techologies, Inc.
        0868|WIOsense GmbH & Co. KG
        0869|EVVA Sicherheitstechnologie GmbH
        086a|Odic Incorporated
        086b|Pacific Track, LLC
        086c|Revvo Technologies, Inc.
        086d|Biometrika d.o.o.
        086e|Vorwerk Elektrowerke GmbH & Co. KG
        086f|Trackunit A/S
        0870|Wyze Labs, Inc
        0871|Dension Elektronikai Kft.
        0872|11 Health & Technologies Limited
        0873|Innophase Incorporated
        0874|Treegreen Limited
        0875|Berner International LLC
        0876|SmartResQ ApS
        0877|Valtech
        0878|The Chamberlain Group, Inc.
        0879|MIZUNO Corporation
        087a|ZRF, LLC
        087b|BYSTAMP
        087c|Crosscan GmbH
        087d|Konftel AB
        087e|1bar.net Limited
        087f|Phillips Connect Technologies LLC
        0880|imagiLabs AB
        0881|Optalert
        0882|PSYONIC, Inc.
        0883|Wintersteiger AG
        0884|Controlid Industria, Comercio de Hardware e Servicos de Tecnologia Ltda
        0886|Movella Technologies B.V.
        0887|Hydro-Gear Limited Partnership
        0888|EnPointe Fencing Pty Ltd
        0889|XANTHIO
        088a|sclak s.r.l.
        088b|Tricorder Arraay Technologies LLC
        088c|GB Solution co.,Ltd
        088d|Soliton Systems K.K.
        088f|Tait International Limited
        0890|NICHIEI INTEC CO., LTD.
        0891|SmartWireless GmbH & Co. KG
        0892|Ingenieurbuero Birnfeld UG (haftungsbeschraenkt)
        0893|Maytronics Ltd
        0894|EPIFIT
        0895|Gimer medical
        0896|Nokian Renkaat Oyj
        0897|Current Lighting Solutions LLC
        0898|Sensibo, Inc.
        0899|SFS unimarket AG
        089a|Private limited company "Teltonika"
        089b|Saucon Technologies
        089c|Embedded Devices Co. Company
        089d|J-J.A.D.E. Enterprise LLC
        089e|i-SENS, inc.
        089f|Witschi Electronic Ltd
        08a0|Aclara Technologies LLC
        08a1|EXEO TECH CORPORATION
        08a2|Epic Systems Co., Ltd.
        08a3|Hoffmann SE
        08a4|Realme Chongqing Mobile Telecommunications Corp., Ltd.
        08a6|Intelligenceworks Inc.
        08a7|TGR 1.618 Limited
        08a8|Shanghai Kfcube Inc
        08a9|Fraunhofer IIS
        08aa|SZ DJI TECHNOLOGY CO.,LTD
        08ab|Coburn Technology, LLC
        08ac|Topre Corporation
        08ad|Kayamatics Limited
        08ae|Moticon ReGo AG
        08af|Polidea Sp. z o.o.
        08b0|Trivedi Advanced Technologies LLC
        08b1|CORE|vision BV
        08b2|PF SCHWEISSTECHNOLOGIE GMBH
        08b3|IONIQ Skincare GmbH & Co. KG
        08b4|Sengled Co., Ltd.
        08b5|TransferFi
        08b6|Boehringer Ingelheim Vetmedica GmbH
        08b7|ABB Inc
        08b8|Check Technology Solutions LLC
        08b9|U-Shin Ltd.
        08ba|HYPER ICE, INC.
        08bb|Tokai-rika co.,ltd.
        08bc|Prevayl Limited
        08bd|bf1systems limited
        08be|ubisys technologies GmbH
        08bf|SIRC Co., Ltd.
        08c0|Accent Advanced Systems SLU
        08c1|Rayden.Earth LTD
        08c2|Lindinvent AB
        08c3|CHIPOLO d.o.o.
        08c5|J. Wagner GmbH
        08c6|Integra Optics Inc
        08c7|Monadnock Systems Ltd.
        08c8|Liteboxer Technologies Inc.
        08c9|Noventa AG
        08ca|Nubia Technology Co.,Ltd.
        08cb|JT INNOVATIONS LIMITED
        08cc|TGM TECHNOLOGY CO., LTD.
        08cd|ifly
        08ce|ZIMI CORPORATION
        08cf|betternotstealmybike UG (with limited liability)
        08d0|ESTOM Infotech Kft.
        08d1|Sensovium Inc.
        08d2|Virscient Limited
        08d3|Novel Bits, LLC
        08d4|ADATA Technology Co., LTD.
        08d5|KEYes
        08d7|Inovonics Corp
        08d8|WARES
        08d9|Pointr Labs Limited
        08da|Miridia Technology Incorporated
        08db|Tertium Technology
        08dc|SHENZHEN AUKEY E BUSINESS CO., LTD
        08dd|code-Q
        08de|TE Connectivity Corporation
        08df|IRIS OHYAMA CO.,LTD.
        08e0|Philia Technology
        08e1|KOZO KEIKAKU ENGINEERING Inc.
        08e2|Shenzhen Simo Technology co. LTD
        08e3|Republic Wireless, Inc.
        08e4|Rashidov ltd
        08e5|Crowd Connected Ltd
        08e6|Eneso Tecnologia de Adaptacion S.L.
        08e7|Barrot Technology Co.,Ltd.
        08e8|Naonext
        08e9|Taiwan Intelligent Home Corp.
        08ea|COWBELL ENGINEERING CO.,LTD.
        08eb|Beijing Big Moment Technology Co., Ltd.
        08ec|Denso Corporation
        08ed|IMI Hydronic Engineering International SA
        08ee|Askey Computer Corp.
        08ef|Cumulus Digital Systems, Inc
        08f0|Joovv, Inc.
        08f1|The L.S. Starrett Company
        08f2|Microoled
        08f3|PSP - Pauli Services & Products GmbH
        08f4|Kodimo Technologies Company Limited
        08f5|Tymtix Technologies Private Limited
        08f6|Dermal Photonics Corporation
        08f7|MTD Products Inc & Affiliates
        08f8|instagrid GmbH
        08f9|Spacelabs Medical Inc.
        08fa|Troo Corporation
        08fb|Darkglass Electronics Oy
        08fc|Hill-Rom
        08fd|BioIntelliSense, Inc.
        08fe|Ketronixs Sdn Bhd
        08ff|Plastimold Products, Inc
        0900|Beijing Zizai Technology Co., LTD.
        0901|Lucimed
        0902|TSC Auto-ID Technology Co., Ltd.
        0903|DATAMARS, Inc.
        0904|SUNCORPORATION
        0905|Yandex Services AG
        0906|Scope Logistical Solutions
        0907|User Hello, LLC
        0908|Pinpoint Innovations Limited
        0909|70mai Co.,Ltd.
        090a|Zhuhai Hoksi Technology CO.,LTD
        090b|EMBR labs, INC
        090c|Radiawave Technologies Co.,Ltd.
        090d|IOT Invent GmbH
        090e|OPTIMUSIOT TECH LLP
        090f|VC Inc.
        0910|ASR Microelectronics (Shanghai) Co., Ltd.
        0911|Douglas Lighting Controls Inc.
        0912|Nerbio Medical Software Platforms Inc
        0913|Braveheart Wireless, Inc.
        0914|INEO-SENSE
        0915|Honda Motor Co., Ltd.
        0916|Ambient Sensors LLC
        0917|ASR Microelectronics(ShenZhen)Co., Ltd.
        0918|Technosphere Labs Pvt. Ltd.
        0919|NO SMD LIMITED
        091a|Albertronic BV
        091b|Luminostics, Inc.
        091c|Oblamatik AG
        091d|Innokind, Inc.
        091e|Melbot Studios, Sociedad Limitada
        091f|Myzee Technology
        0921|KAHA PTE. LTD.
        0922|Shanghai MXCHIP Information Technology Co., Ltd.
        0923|JSB TECH PTE LTD
        0924|Fundacion Tecnalia Research and Innovation
        0925|Yukai Engineering Inc.
        0926|Gooligum Technologies Pty Ltd
        0927|ROOQ GmbH
        0928|AiRISTA
        0929|Qingdao Haier Technology Co., Ltd.
        092a|Sappl Verwaltungs- und Betriebs GmbH
        092b|TekHome
        092c|PCI Private Limited
        092d|Leggett & Platt, Incorporated
        092e|PS GmbH
        092f|C.O.B.O. SpA
        0930|James Walker RotaBolt Limited
        0931|BREATHINGS Co., Ltd.
        0932|BarVision, LLC
        0933|SRAM
        0934|KiteSpring Inc.
        0935|Reconnect, Inc.
        0936|Elekon AG
        0937|RealThingks GmbH
        0938|Henway Technologies, LTD.
        0939|ASTEM Co.,Ltd.
        093a|LinkedSemi Microelectronics (Xiamen) Co., Ltd
        093b|ENSESO LLC
        093c|Xenoma Inc.
        093d|Adolf Wuerth GmbH & Co KG
        093e|Catalyft Labs, Inc.
        093f|JEPICO Corporation
        0940|Hero Workout GmbH
        0941|Rivian Automotive, LLC
        0942|TRANSSION HOLDINGS LIMITED
        0944|Agitron d.o.o.
        0945|Globe (Jiangsu) Co., Ltd
        0946|AMC International Alfa Metalcraft Corporation AG
        0947|First Light Technologies Ltd.
        0948|Wearable Link Limited
        0949|Metronom Health Europe
        094a|Zwift, Inc.
        094b|Kindeva Drug Delivery L.P.
        094c|GimmiSys GmbH
        094d|tkLABS INC.
        094e|PassiveBolt, Inc.
        094f|Limited Liability Company "Mikrotikls"
        0950|Capetech
        0951|PPRS
        0952|Apptricity Corporation
        0953|LogiLube, LLC
        0954|Julbo
        0955|Breville Group
        0956|Kerlink
        0957|Ohsung Electronics
        0958|ZTE Corporation
        0959|HerdDogg, Inc
        095b|Lismore Instruments Limited
        095c|LogiLube, LLC
        095d|Electronic Theatre Controls
        095e|BioEchoNet inc.
        095f|NUANCE HEARING LTD
        0960|Sena Technologies Inc.
        0961|Linkura AB
        0962|GL Solutions K.K.
        0963|Moonbird BV
        0964|Countrymate Technology Limited
        0965|Asahi Kasei Corporation
        0966|PointGuard, LLC
        0967|Neo Materials and Consulting Inc.
        0968|Actev Motors, Inc.
        0969|Woan Technology (Shenzhen) Co., Ltd.
        096a|dricos, Inc.
        096b|Guide ID B.V.
        096c|9374-7319 Quebec inc
        096d|Gunwerks, LLC
        096e|Band Industries, inc.
        096f|Lund Motion Products, Inc.
        0970|IBA Dosimetry GmbH
        0971|GA
        0972|Closed Joint Stock Company "Zavod Flometr" ("Zavod Flometr" CJSC)
        0973|Popit Oy
        0974|ABEYE
        0975|BlueIOT(Beijing) Technology Co.,Ltd
        0976|Fauna Audio GmbH
        0977|TOYOTA motor corporation
        0978|ZifferEins GmbH & Co. KG
        0979|BIOTRONIK SE & Co. KG
        097a|CORE CORPORATION
        097b|CTEK Sweden AB
        097c|Thorley Industries, LLC
        097d|CLB B.V.
        097e|SonicSensory Inc
        097f|ISEMAR S.R.L.
        0980|DEKRA TESTING AND CERTIFICATION, S.A.U.
        0981|Bernard Krone Holding SE & Co.KG
        0982|ELPRO-BUCHS AG
        0983|Feedback Sports LLC
        0984|TeraTron GmbH
        0985|Lumos Health Inc.
        0986|Cello Hill, LLC
        0987|TSE BRAKES, INC.
        0988|BHM-Tech Produktionsgesellschaft m.b.H
        0989|WIKA Alexander Wiegand SE & Co.KG
        098a|Biovigil
        098b|Mequonic Engineering, S.L.
        098c|bGrid B.V.
        098e|ADVEEZ
        098f|Aktiebolaget Regin
        0990|Anton Paar GmbH
        0991|Telenor ASA
        0992|Big Kaiser Precision Tooling Ltd
        0993|Absolute Audio Labs B.V.
        0994|VT42 Pty Ltd
        0995|Bronkhorst High-Tech B.V.
        0996|C. & E. Fein GmbH
        0997|NextMind
        0998|Pixie Dust Technologies, Inc.
        0999|eTactica ehf
        099a|New Audio LLC
        099b|Sendum Wireless Corporation
        099c|deister electronic GmbH
        099d|YKK AP Inc.
        099e|Step One Limited
        099f|Koya Medical, Inc.
        09a0|Proof Diagnostics, Inc.
        09a1|VOS Systems, LLC
        09a2|ENGAGENOW DATA SCIENCES PRIVATE LIMITED
        09a3|ARDUINO SA
        09a4|KUMHO ELECTRICS, INC
        09a5|Security Enhancement Systems, LLC
        09a6|BEIJING ELECTRIC VEHICLE CO.,LTD
        09a7|Paybuddy ApS
        09a8|KHN Solutions LLC
        09a9|Nippon Ceramic Co.,Ltd.
        09aa|PHOTODYNAMIC INCORPORATED
        09ab|DashLogic, Inc.
        09ac|Ambiq
        09ad|Narhwall Inc.
        09ae|Pozyx NV
        09af|ifLink Open Community
        09b0|Deublin Company, LLC
        09b1|BLINQY
        09b2|DYPHI
        09b3|BlueX Microelectronics Corp Ltd.
        09b4|PentaLock Aps.
        09b5|AUTEC Gesellschaft fuer Automationstechnik mbH
        09b6|Pegasus Technologies, Inc.
        09b7|Bout Labs, LLC
        09b8|PlayerData Limited
        09b9|SAVOY ELECTRONIC LIGHTING
        09ba|Elimo Engineering Ltd
        09bb|SkyStream Corporation
        09bc|Aerosens LLC
        09bd|Centre Suisse d'Electronique et de Microtechnique SA
        09be|Vessel Ltd.
        09bf|Span.IO, Inc.
        09c0|AnotherBrain inc.
        09c1|Rosewill
        09c2|Universal Audio, Inc.
        09c3|JAPAN TOBACCO INC.
        09c4|UVISIO
        09c5|HungYi Microelectronics Co.,Ltd.
        09c6|Honor Device Co., Ltd.
        09c7|Combustion, LLC
        09c8|XUNTONG
        09c9|CrowdGlow Ltd
        09ca|Mobitrace
        09cb|Hx Engineering, LLC
        09cc|Senso4s d.o.o.
        09ce|Julius Blum GmbH
        09cf|BlueStreak IoT, LLC
        09d0|Chess Wise B.V.
        09d1|ABLEPAY TECHNOLOGIES AS
        09d2|Temperature Sensitive Solutions Systems Sweden AB
        09d4|ORBIS Inc.
        09d5|GEAR RADIO ELECTRONICS CORP.
        09d6|EAR TEKNIK ISITME VE ODIOMETRI CIHAZLARI SANAYI VE TICARET ANONIM SIRKETI
        09d7|Coyotta
        09d8|Synergy Tecnologia em Sistemas Ltda
        09d9|VivoSensMedical GmbH
        09da|Nagravision SA
        09db|Bionic Avionics Inc.
        09dc|AON2 Ltd.
        09dd|Innoware Development AB
        09de|JLD Technology Solutions, LLC
        09df|Magnus Technology Sdn Bhd
        09e1|Tag-N-Trac Inc
        09e2|Wuhan Linptech Co.,Ltd.
        09e3|Friday Home Aps
        09e4|CPS AS
        09e5|Mobilogix
        09e6|Masonite Corporation
        09e7|Kabushikigaisha HANERON
        09e8|Melange Systems Pvt. Ltd.
        09e9|LumenRadio AB
        09ea|Athlos Oy
        09eb|KEAN ELECTRONICS PTY LTD
        09ec|Yukon advanced optics worldwide, UAB
        09ed|Sibel Inc.
        09ee|OJMAR SA
        09ef|Steinel Solutions AG
        09f0|WatchGas B.V.
        09f1|OM Digital Solutions Corporation
        09f2|Audeara Pty Ltd
        09f3|Beijing Zero Zero Infinity Technology Co.,Ltd.
        09f4|Spectrum Technologies, Inc.
        09f5|OKI Electric Industry Co., Ltd
        09f6|Mobile Action Technology Inc.
        09f7|SENSATEC Co., Ltd.
        09f8|R.O. S.R.L.
        09f9|Hangzhou Yaguan Technology Co. LTD
        09fa|Listen Technologies Corporation
        09fb|TOITU CO., LTD.
        09fc|Confidex
        09fd|Keep Technologies, Inc.
        09fe|Lichtvision Engineering GmbH
        09ff|AIRSTAR
        0a00|Ampler Bikes OU
        0a01|Cleveron AS
        0a02|Ayxon-Dynamics GmbH
        0a03|donutrobotics Co., Ltd.
        0a04|Flosonics Medical
        0a05|Southwire Company, LLC
        0a06|Shanghai wuqi microelectronics Co.,Ltd
        0a07|Reflow Pty Ltd
        0a08|Oras Oy
        0a0a|Volan Technology Inc.
        0a0b|SIANA Systems
        0a0c|Shanghai Yidian Intelligent Technology Co., Ltd.
        0a0d|Blue Peacock GmbH
        0a0e|Roland Corporation
        0a0f|LIXIL Corporation
        0a10|SUBARU Corporation
        0a11|Sensolus
        0a12|Dyson Technology Limited
        0a13|Tec4med LifeScience GmbH
        0a14|CROXEL, INC.
        0a15|Syng Inc
        0a16|RIDE VISION LTD
        0a17|Plume Design Inc
        0a18|Cambridge Animal Technologies Ltd
        0a19|Maxell, Ltd.
        0a1a|Link Labs, Inc.
        0a1b|Embrava Pty Ltd
        0a1c|INPEAK S.C.
        0a1d|API-K
        0a1e|CombiQ AB
        0a1f|DeVilbiss Healthcare LLC
        0a20|Jiangxi Innotech Technology Co., Ltd
        0a21|Apollogic Sp. z o.o.
        0a22|DAIICHIKOSHO CO., LTD.
        0a23|BIXOLON CO.,LTD
        0a24|Atmosic Technologies, Inc.
        0a25|Eran Financial Services LLC
        0a26|Louis Vuitton
        0a27|AYU DEVICES PRIVATE LIMITED
        0a28|NanoFlex Power Corporation
        0a29|Worthcloud Technology Co.,Ltd
        0a2a|Yamaha Corporation
        0a2b|PaceBait IVS
        0a2c|Shenzhen H&T Intelligent Control Co., Ltd
        0a2d|Shenzhen Feasycom Technology Co., Ltd.
        0a2f|Instamic, Inc.
        0a30|Air-Weigh
        0a31|Nevro Corp.
        0a32|Pinnacle Technology, Inc.
        0a33|WMF AG
        0a34|Luxer Corporation
        0a35|safectory GmbH
        0a36|NGK SPARK PLUG CO., LTD.
        0a37|2587702 Ontario Inc.
        0a38|Bouffalo Lab (Nanjing)., Ltd.
        0a39|BLUETICKETING SRL
        0a3a|Incotex Co. Ltd.
        0a3b|Galileo Technology Limited
        0a3c|Siteco GmbH
        0a3d|DELABIE
        0a3f|Shenzhen Yopeak Optoelectronics Technology Co., Ltd.
        0a41|OPEX Corporation
        0a42|Motionalysis, Inc.
        0a43|Busch Systems International Inc.
        0a44|Novidan, Inc.
        0a45|3SI Security Systems, Inc
        0a46|Beijing HC-Infinite Technology Limited
        0a47|The Wand Company Ltd
        0a48|JRC Mobility Inc.
        0a49|Venture Research Inc.
        0a4a|Map Large, Inc.
        0a4b|MistyWest Energy and Transport Ltd.
        0a4c|SiFli Technologies (shanghai) Inc.
        0a4d|Lockn Technologies Private Limited
        0a4e|Toytec Corporation
        0a4f|VANMOOF Global Holding B.V.
        0a50|Nextscape Inc.
        0a51|CSIRO
        0a52|Follow Sense Europe B.V.
        0a53|KKM COMPANY LIMITED
        0a54|SQL Technologies Corp.
        0a55|Inugo Systems Limited
        0a56|ambie
        0a57|Meizhou Guo Wei Electronics Co., Ltd
        0a58|Indigo Diabetes
        0a59|TourBuilt, LLC
        0a5a|Sontheim Industrie Elektronik GmbH
        0a5b|LEGIC Identsystems AG
        0a5c|Innovative Design Labs Inc.
        0a5d|MG Energy Systems B.V.
        0a5f|stryker
        0a60|DATANG SEMICONDUCTOR TECHNOLOGY CO.,LTD
        0a61|Smart Parks B.V.
        0a62|MOKO TECHNOLOGY Ltd
        0a64|Geopal system A/S
        0a65|Lytx, INC.
        0a67|Beijing SuperHexa Century Technology CO. Ltd
        0a68|Focus Ingenieria SRL
        0a69|HAPPIEST BABY, INC.
        0a6a|Scribble Design Inc.
        0a6b|Olympic Ophthalmics, Inc.
        0a6c|Pokkels
        0a6d|KUUKANJYOKIN Co.,Ltd.
        0a6e|Pac Sane Limited
        0a6f|Warner Bros.
        0a70|Ooma
        0a71|Senquip Pty Ltd
        0a72|Jumo GmbH & Co. KG
        0a73|Innohome Oy
        0a74|MICROSON S.A.
        0a75|Delta Cycle Corporation
        0a76|Synaptics Incorporated
        0a77|AXTRO PTE. LTD.
        0a78|Shenzhen Sunricher Technology Limited
        0a79|Webasto SE
        0a7a|Emlid Limited
        0a7b|UniqAir Oy
        0a7c|WAFERLOCK
        0a7d|Freedman Electronics Pty Ltd
        0a7e|KEBA Handover Automation GmbH
        0a7f|Intuity Medical
        0a80|Cleer Limited
        0a81|Universal Biosensors Pty Ltd
        0a82|Corsair
        0a83|Rivata, Inc.
        0a84|Greennote Inc,
        0a85|Snowball Technology Co., Ltd.
        0a86|ALIZENT International
        0a87|Shanghai Smart System Technology Co., Ltd
        0a88|PSA Peugeot Citroen
        0a89|VusionGroup
        0a8a|HAINBUCH GMBH SPANNENDE TECHNIK
        0a8b|SANlight GmbH
        0a8c|DelpSys, s.r.o.
        0a8d|JCM TECHNOLOGIES S.A.
        0a8e|Perfect Company
        0a8f|TOTO LTD.
        0a90|Shenzhen Grandsun Electronic Co.,Ltd.
        0a91|Monarch International Inc.
        0a92|Carestream Dental LLC
        0a93|GiPStech S.r.l.
        0a94|OOBIK Inc.
        0a95|Pamex Inc.
        0a97|SensTek
        0a98|Foil, Inc.
        0a99|Shanghai high-flying electronics technology Co.,Ltd
        0a9a|TEMKIN ASSOCIATES, LLC
        0a9b|Eello LLC
        0a9c|Xi'an Fengyu Information Technology Co., Ltd.
        0a9d|Canon Finetech Nisca Inc.
        0a9f|ista International GmbH
        0aa0|Loy Tec electronics GmbH
        0aa1|LINCOGN TECHNOLOGY CO. LIMITED
        0aa2|Care Bloom, LLC
        0aa3|DIC Corporation
        0aa4|FAZEPRO LLC
        0aa5|Shenzhen Uascent Technology Co., Ltd
        0aa6|Realityworks, inc.
        0aa7|Urbanista AB
        0aa8|Zencontrol Pty Ltd
        0aa9|Spintly, Inc.
        0aaa|Computime International Ltd
        0aab|Anhui Listenai Co
        0aac|OSM HK Limited
        0aad|Adevo Consulting AB
        0aae|PS Engineering, Inc.
        0aaf|AIAIAI ApS
        0ab0|Visiontronic s.r.o.
        0ab1|InVue Security Products Inc
        0ab2|TouchTronics, Inc.
        0ab3|INNER RANGE PTY. LTD.
        0ab4|Ellenby Technologies, Inc.
        0ab5|Elstat Electronics Ltd.
        0ab6|Xenter, Inc.
        0ab7|LogTag North America Inc.
        0ab8|Sens.ai Incorporated
        0ab9|STL
        0aba|Open Bionics Ltd.
        0abb|R-DAS, s.r.o.
        0abc|KCCS Mobile Engineering Co., Ltd.
        0abd|Inventas AS
        0abe|Robkoo Information & Technologies Co., Ltd.
        0abf|PAUL HARTMANN AG
        0ac0|Omni-ID USA, INC.
        0ac1|Shenzhen Jingxun Technology Co., Ltd.
        0ac2|RealMega Microelectronics technology (Shanghai) Co. Ltd.
        0ac3|Kenzen, Inc.
        0ac4|CODIUM
        0ac5|Flexoptix GmbH
        0ac6|Barnes Group Inc.
        0ac7|Chengdu Aich Technology Co.,Ltd
        0ac8|Keepin Co., Ltd.
        0ac9|Swedlock AB
        0aca|Shenzhen CoolKit Technology Co., Ltd
        0acb|ise Individuelle Software und Elektronik GmbH
        0acc|Nuvoton
        0acd|Visuallex Sport International Limited
        0ace|KOBATA GAUGE MFG. CO., LTD.
        0acf|CACI Technologies
        0ad0|Nordic Strong ApS
        0ad1|EAGLE KINGDOM TECHNOLOGIES LIMITED
        0ad2|Lautsprecher Teufel GmbH
        0ad3|SSV Software Systems GmbH
        0ad4|Zhuhai Pantum Electronisc Co., Ltd
        0ad5|Streamit B.V.
        0ad6|nymea GmbH
        0ad7|AL-KO Geraete GmbH
        0ad8|Franz Kaldewei GmbH&Co KG
        0ad9|Shenzhen Aimore. Co.,Ltd
        0ada|Codefabrik GmbH
        0adb|Reelables, Inc.
        0adc|Duravit AG
        0add|Boss Audio
        0ade|Vocera Communications, Inc.
        0adf|Douglas Dynamics L.L.C.
        0ae3|GlobalMed
        0ae4|DALI Alliance
        0ae5|unu GmbH
        0ae6|Hexology
        0ae7|Sunplus Technology Co., Ltd.
        0ae8|LEVEL, s.r.o.
        0ae9|FLIR Systems AB
        0aea|Borda Technology
        0aeb|Square, Inc.
        0aec|FUTEK ADVANCED SENSOR TECHNOLOGY, INC
        0aed|Saxonar GmbH
        0aee|Velentium, LLC
        0aef|GLP German Light Products GmbH
        0af0|Leupold & Stevens, Inc.
        0af1|CRADERS,CO.,LTD
        0af2|Shanghai All Link Microelectronics Co.,Ltd
        0af3|701x Inc.
        0af4|Radioworks Microelectronics PTY LTD
        0af5|Unitech Electronic Inc.
        0af6|AMETEK, Inc.
        0af7|Irdeto
        0af8|First Design System Inc.
        0af9|Unisto AG
        0afa|Chengdu Ambit Technology Co., Ltd.
        0afb|SMT ELEKTRONIK GmbH
        0afc|Cerebrum Sensor Technologies Inc.
        0afd|Weber Sensors, LLC
        0afe|Earda Technologies Co.,Ltd
        0aff|FUSEAWARE LIMITED
        0b00|Flaircomm Microelectronics Inc.
        0b01|RESIDEO TECHNOLOGIES, INC.
        0b02|IORA Technology Development Ltd. Sti.
        0b03|Precision Triathlon Systems Limited
        0b05|Marquardt GmbH
        0b06|FAZUA GmbH
        0b07|Workaround Gmbh
        0b08|Shenzhen Qianfenyi Intelligent Technology Co., LTD
        0b09|soonisys
        0b0a|Belun Technology Company Limited
        0b0b|Sanistaal A/S
        0b0c|BluPeak
        0b0d|SANYO DENKO Co.,Ltd.
        0b0e|Minebea Access Solutions Inc.
        0b0f|B.E.A. S.A.
        0b10|Alfa Laval Corporate AB
        0b11|ThermoWorks, Inc.
        0b12|ToughBuilt Industries LLC
        0b13|IOTOOLS
        0b14|Olumee
        0b15|NAOS JAPAN K.K.
        0b16|Guard RFID Solutions Inc.
        0b17|SIG SAUER, INC.
        0b18|DECATHLON SE
        0b19|WBS PROJECT H PTY LTD
        0b1a|Roca Sanitario, S.A.
        0b1b|Enerpac Tool Group Corp.
        0b1c|Nanoleq AG
        0b1d|Accelerated Systems
        0b1e|PB INC.
        0b1f|Beijing ESWIN Computing Technology Co., Ltd.
        0b20|TKH Security B.V.
        0b22|Hygiene IQ, LLC.
        0b23|iRhythm Technologies, Inc.
        0b24|BeiJing ZiJie TiaoDong KeJi Co.,Ltd.
        0b25|NIBROTECH LTD
        0b26|Baracoda Daily Healthtech.
        0b27|Lumi United Technology Co., Ltd
        0b28|CHACON
        0b29|Tech-Venom Entertainment Private Limited
        0b2b|MAINBOT
        0b2c|ILLUMAGEAR, Inc.
        0b2d|REDARC ELECTRONICS PTY LTD
        0b2e|MOCA System Inc.
        0b2f|Duke Manufacturing Co
        0b30|ART SPA
        0b31|Silver Wolf Vehicles Inc.
        0b32|Hala Systems, Inc.
        0b33|ARMATURA LLC
        0b34|CONZUMEX INDUSTRIES PRIVATE LIMITED
        0b35|BH SENS
        0b36|SINTEF
        0b37|Omnivoltaic Energy Solutions Limited Company
        0b38|WISYCOM S.R.L.
        0b39|Red 100 Lighting Co., ltd.
        0b3a|Impact Biosystems, Inc.
        0b3b|AIC semiconductor (Shanghai) Co., Ltd.
        0b3c|Dodge Industrial, Inc.
        0b3d|REALTIMEID AS
        0b3e|ISEO Serrature S.p.a.
        0b3f|MindRhythm, Inc.
        0b40|Havells India Limited
        0b41|Sentrax GmbH
        0b42|TSI
        0b43|INCITAT ENVIRONNEMENT
        0b44|nFore Technology Co., Ltd.
        0b45|Electronic Sensors, Inc.
        0b47|Gentex Corporation
        0b48|NIO USA, Inc.
        0b49|SkyHawke Technologies
        0b4a|Nomono AS
        0b4b|EMS Integrators, LLC
        0b4c|BiosBob.Biz
        0b4d|Adam Hall GmbH
        0b4e|ICP Systems B.V.
        0b4f|Breezi.io, Inc.
        0b50|Mesh Systems LLC
        0b51|FUN FACTORY GmbH
        0b52|ZIIP Inc
        0b53|SHENZHEN KAADAS INTELLIGENT TECHNOLOGY CO.,Ltd
        0b54|Emotion Fitness GmbH & Co. KG
        0b55|H G M Automotive Electronics, Inc.
        0b56|BORA - Vertriebs GmbH & Co KG
        0b57|CONVERTRONIX TECHNOLOGIES AND SERVICES LLP
        0b58|TOKAI-DENSHI INC
        0b5b|Shenzhen ImagineVision Technology Limited
        0b5d|Fujian Newland Auto-ID Tech. Co., Ltd.
        0b5e|CELLCONTROL, INC.
        0b5f|Rivieh, Inc.
        0b60|RATOC Systems, Inc.
        0b61|Sentek Pty Ltd
        0b62|NOVEA ENERGIES
        0b63|Innolux Corporation
        0b64|NingBo klite Electric Manufacture Co.,LTD
        0b65|The Apache Software Foundation
        0b66|MITSUBISHI ELECTRIC AUTOMATION (THAILAND) COMPANY LIMITED
        0b67|CleanSpace Technology Pty Ltd
        0b68|Quha oy
        0b69|Addaday
        0b6a|Dymo
        0b6b|Samsara Networks, Inc
        0b6c|Sensitech, Inc.
        0b6d|SOLUM CO., LTD
        0b6e|React Mobile
        0b70|JDRF Electromag Engineering Inc
        0b71|lilbit ODM AS
        0b72|Geeknet, Inc.
        0b73|HARADA INDUSTRY CO., LTD.
        0b74|BQN
        0b75|Triple W Japan Inc.
        0b76|MAX-co., ltd
        0b77|Aixlink(Chengdu) Co., Ltd.
        0b78|FIELD DESIGN INC.
        0b79|Sankyo Air Tech Co.,Ltd.
        0b7a|Shenzhen KTC Technology Co.,Ltd.
        0b7b|Hardcoder Oy
        0b7c|Scangrip A/S
        0b7d|FoundersLane GmbH
        0b7e|Offcode Oy
        0b7f|ICU tech GmbH
        0b80|AXELIFE
        0b81|SCM Group
        0b82|Mammut Sports Group AG
        0b83|Taiga Motors Inc.
        0b84|Presidio Medical, Inc.
        0b85|VIMANA TECH PTY LTD
        0b86|Trek Bicycle
        0b87|Ampetronic Ltd
        0b88|Muguang (Guangdong) Intelligent Lighting Technology Co., Ltd
        0b89|Rotronic AG
        0b8a|Seiko Instruments Inc.
        0b8b|American Technology Components, Incorporated
        0b8c|MOTREX
        0b8d|Pertech Industries Inc
        0b8e|Gentle Energy Corp.
        0b8f|Senscomm Semiconductor Co., Ltd.
        0b90|Ineos Automotive Limited
        0b91|Alfen ICU B.V.
        0b92|Citisend Solutions, SL
        0b93|Hangzhou BroadLink Technology Co., Ltd.
        0b94|Dreem SAS
        0b96|Telecom Design
        0b97|SILVER TREE LABS, INC.
        0b98|Gymstory B.V.
        0b99|The Goodyear Tire & Rubber Company
        0b9a|Beijing Wisepool Infinite Intelligence Technology Co.,Ltd
        0b9c|Komatsu Ltd.
        0b9d|Sensoria Holdings LTD
        0b9e|Audio Partnership Plc
        0b9f|Group Lotus Limited
        0ba0|Data Sciences International
        0ba1|Bunn-O-Matic Corporation
        0ba2|TireCheck GmbH
        0ba3|Sonova Consumer Hearing GmbH
        0ba4|Vervent Audio Group
        0ba5|SONICOS ENTERPRISES, LLC
        0ba6|Nissan Motor Co., Ltd.
        0ba7|hearX Group (Pty) Ltd
        0ba8|GLOWFORGE INC.
        0ba9|Allterco Robotics ltd
        0baa|Infinitegra, Inc.
        0bab|Grandex International Corporation
        0bac|Machfu Inc.
        0bad|Roambotics, Inc.
        0bae|Soma Labs LLC
        0baf|NITTO KOGYO CORPORATION
        0bb0|Ecolab Inc.
        0bb1|Beijing ranxin intelligence technology Co.,LTD
        0bb2|Fjorden Electra AS
        0bb3|Flender GmbH
        0bb4|New Cosmos USA, Inc.
        0bb5|Xirgo Technologies, LLC
        0bb6|Build With Robots Inc.
        0bb7|IONA Tech LLC
        0bb8|INNOVAG PTY. LTD.
        0bb9|SaluStim Group Oy
        0bba|Huso, INC
        0bbb|SWISSINNO SOLUTIONS AG
        0bbc|T2REALITY SOLUTIONS PRIVATE LIMITED
        0bbe|SAAB Aktiebolag
        0bbf|HIMSA II K/S
        0bc0|READY FOR SKY LLP
        0bc1|Miele & Cie. KG
        0bc2|EntWick Co.
        0bc3|MCOT INC.
        0bc4|TECHTICS ENGINEERING B.V.
        0bc5|Aperia Technologies, Inc.
        0bc6|TCL COMMUNICATION EQUIPMENT CO.,LTD.
        0bc7|Signtle Inc.
        0bc8|OTF Distribution, LLC
        0bc9|Neuvatek Inc.
        0bca|Perimeter Technologies, Inc.
        0bcb|Divesoft s.r.o.
        0bcc|Sylvac sa
        0bcd|Amiko srl
        0bce|Neurosity, Inc.
        0bcf|LL Tec Group LLC
        0bd0|Durag GmbH
        0bd1|Hubei Yuan Times Technology Co., Ltd.
        0bd2|IDEC
        0bd3|Procon Analytics, LLC
        0bd4|ndd Medizintechnik AG
        0bd5|Super B Lithium Power B.V.
        0bd6|Shenzhen Injoinic Technology Co., Ltd.
        0bd7|VINFAST TRADING AND PRODUCTION JOINT STOCK COMPANY
        0bd8|PURA SCENTS, INC.
        0bda|Aardex Ltd.
        0bdb|CHAR-BROIL, LLC
        0bdc|Ledworks S.r.l.
        0bdd|Coroflo Limited
        0bde|Yale
        0bdf|WINKEY ENTERPRISE (HONG KONG) LIMITED
        0be0|Koizumi Lighting Technology corp.
        0be2|OTC engineering
        0be3|Comtel Systems Ltd.
        0be4|Deepfield Connect GmbH
        0be5|ZWILLING J.A. Henckels Aktiengesellschaft
        0be6|Puratap Pty Ltd
        0be7|Fresnel Technologies, Inc.
        0be8|Sensormate AG
        0be9|Shindengen Electric Manufacturing Co., Ltd.
        0bea|Twenty Five Seven, prodaja in storitve, d.o.o.
        0beb|Luna Health, Inc.
        0bec|Miracle-Ear, Inc.
        0bed|CORAL-TAIYI Co. Ltd.
        0bee|LINKSYS USA, INC.
        0bef|Safetytest GmbH
        0bf0|KIDO SPORTS CO., LTD.
        0bf1|Site IQ LLC
        0bf2|Angel Medical Systems, Inc.
        0bf3|PONE BIOMETRICS AS
        0bf5|T5 tek, Inc.
        0bf6|greenTEG AG
        0bf7|Wacker Neuson SE
        0bf8|Innovacionnye Resheniya
        0bfa|CleanBands Systems Ltd.
        0bfb|Dodam Enersys Co., Ltd
        0bfc|T+A elektroakustik GmbH & Co.KG
        0bfd|Esmé Solutions
        0bfe|Media-Cartec GmbH
        0bff|Ratio Electric BV
        0c00|MQA Limited
        0c01|NEOWRK SISTEMAS INTELIGENTES S.A.
        0c02|Loomanet, Inc.
        0c03|Puff Corp
        0c04|Happy Health, Inc.
        0c05|Montage Connect, Inc.
        0c06|LED Smart Inc.
        0c07|CONSTRUKTS, INC.
        0c08|limited liability company "Red"
        0c09|Senic Inc.
        0c0a|Automated Pet Care Products, LLC
        0c0b|aconno GmbH
        0c0c|Mendeltron, Inc.
        0c0d|Mereltron bv
        0c0e|ALEX DENKO CO.,LTD.
        0c0f|AETERLINK
        0c10|Cosmed s.r.l.
        0c11|Gordon Murray Design Limited
        0c12|IoSA
        0c13|Scandinavian Health Limited
        0c14|Fasetto, Inc.
        0c15|Geva Sol B.V.
        0c16|TYKEE PTY. LTD.
        0c17|SomnoMed Limited
        0c18|CORROHM
        0c19|Arlo Technologies, Inc.
        0c1a|Catapult Group International Ltd
        0c1b|Rockchip Electronics Co., Ltd.
        0c1c|GEMU
        0c1d|OFF Line Japan Co., Ltd.
        0c1e|EC sense co., Ltd
        0c1f|LVI Co.
        0c20|COMELIT GROUP S.P.A.
        0c21|Foshan Viomi Electrical Technology Co., Ltd
        0c22|Glamo Inc.
        0c23|KEYTEC,Inc.
        0c24|SMARTD TECHNOLOGIES INC.
        0c25|JURA Elektroapparate AG
        0c26|Performance Electronics, Ltd.
        0c27|Pal Electronics
        0c28|Embecta Corp.
        0c29|DENSO AIRCOOL CORPORATION
        0c2a|Caresix Inc.
        0c2b|GigaDevice Semiconductor Inc.
        0c2c|Zeku Technology (Shanghai) Corp., Ltd.
        0c2d|OTF Product Sourcing, LLC
        0c2e|Easee AS
        0c2f|BEEHERO, INC.
        0c30|McIntosh Group Inc
        0c31|KINDOO LLP
        0c32|Xian Yisuobao Electronic Technology Co., Ltd.
        0c33|Exeger Operations AB
        0c34|BYD Company Limited
        0c35|Thermokon-Sensortechnik GmbH
        0c37|SignalQuest, LLC
        0c38|Noritz Corporation.
        0c39|TIGER CORPORATION
        0c3b|ORB Innovations Ltd
        0c3c|Classified Cycling
        0c3d|Wrmth Corp.
        0c3e|BELLDESIGN Inc.
        0c3f|Stinger Equipment, Inc.
        0c40|HORIBA, Ltd.
        0c41|Control Solutions LLC
        0c42|Heath Consultants Inc.
        0c43|Berlinger & Co. AG
        0c44|ONCELABS LLC
        0c45|Brose Verwaltung SE, Bamberg
        0c46|Granwin IoT Technology (Guangzhou) Co.,Ltd
        0c47|Epsilon Electronics,lnc
        0c48|VALEO MANAGEMENT SERVICES
        0c49|twopounds gmbh
        0c4a|atSpiro ApS
        0c4b|ADTRAN, Inc.
        0c4c|Orpyx Medical Technologies Inc.
        0c4d|Seekwave Technology Co.,ltd.
        0c4e|Tactile Engineering, Inc.
        0c4f|SharkNinja Operating LLC
        0c50|Imostar Technologies Inc.
        0c51|INNOVA S.R.L.
        0c52|ESCEA LIMITED
        0c53|Taco, Inc.
        0c54|HiViz Lighting, Inc.
        0c55|Zintouch B.V.
        0c56|Rheem Sales Company, Inc.
        0c57|UNEEG medical A/S
        0c58|Hykso Inc.
        0c59|CYBERDYNE Inc.
        0c5a|Lockswitch Sdn Bhd
        0c5b|Alban Giacomo S.P.A.
        0c5c|MGM WIRELESSS HOLDINGS PTY LTD
        0c5d|StepUp Solutions ApS
        0c5e|BlueID GmbH
        0c5f|Wuxi Linkpower Microelectronics Co.,Ltd
        0c60|KEBA Energy Automation GmbH
        0c61|NNOXX, Inc
        0c62|Phiaton Corporation
        0c63|phg Peter Hengstler GmbH + Co. KG
        0c64|dormakaba Holding AG
        0c65|WAKO CO,.LTD
        0c67|TRACKTING S.R.L.
        0c68|Emerja Corporation
        0c69|BLITZ electric motors. LTD
        0c6a|CONSORCIO TRUST CONTROL - NETTEL
        0c6b|GILSON SAS
        0c6c|SNIFF LOGIC LTD
        0c6d|Fidure Corp.
        0c6e|Sensa LLC
        0c6f|Parakey AB
        0c70|SCARAB SOLUTIONS LTD
        0c71|BitGreen Technolabz (OPC) Private Limited
        0c72|StreetCar ORV, LLC
        0c73|Truma Gerätetechnik GmbH & Co. KG
        0c74|yupiteru
        0c75|Embedded Engineering Solutions LLC
        0c77|TEAC Corporation
        0c78|CHARGTRON IOT PRIVATE LIMITED
        0c79|Zhuhai Smartlink Technology Co., Ltd
        0c7a|Triductor Technology (Suzhou), Inc.
        0c7b|PT SADAMAYA GRAHA TEKNOLOGI
        0c7c|Mopeka Products LLC
        0c7d|3ALogics, Inc.
        0c7f|Rochester Sensors, LLC
        0c80|CARDIOID - TECHNOLOGIES, LDA
        0c81|Carrier Corporation
        0c82|NACON
        0c83|Watchdog Systems LLC
        0c84|MAXON INDUSTRIES, INC.
        0c85|Amlogic, Inc.
        0c86|Qingdao Eastsoft Communication Technology Co.,Ltd
        0c87|Weltek Technologies Company Limited
        0c88|Nextivity Inc.
        0c89|AGZZX OPTOELECTRONICS TECHNOLOGY CO., LTD
        0c8a|A.GLOBAL co.,Ltd.
        0c8b|Heavys Inc
        0c8c|T-Mobile USA
        0c8d|tonies GmbH
        0c8e|Technocon Engineering Ltd.
        0c8f|Radar Automobile Sales(Shandong)Co.,Ltd.
        0c90|WESCO AG
        0c91|Yashu Systems
        0c92|Kesseböhmer Ergonomietechnik GmbH
        0c93|Movesense Oy
        0c94|Baxter Healthcare Corporation
        0c95|Gemstone Lights Canada Ltd.
        0c96|H+B Hightech GmbH
        0c97|Deako
        0c98|MiX Telematics International (PTY) LTD
        0c99|Vire Health Oy
        0c9a|ALF Inc.
        0c9b|NTT sonority, Inc.
        0c9c|Sunstone-RTLS Ipari Szolgaltato Korlatolt Felelossegu Tarsasag
        0c9d|Ribbiot, INC.
        0c9e|ECCEL CORPORATION SAS
        0c9f|Dragonfly Energy Corp.
        0ca0|BIGBEN
        0ca1|YAMAHA MOTOR CO.,LTD.
        0ca2|XSENSE LTD
        0ca3|MAQUET GmbH
        0ca4|MITSUBISHI ELECTRIC LIGHTING CO, LTD
        0ca5|Princess Cruise Lines, Ltd.
        0ca6|Megger Ltd
        0ca7|Verve InfoTec Pty Ltd
        0ca8|Sonas, Inc.
        0ca9|Mievo Technologies Private Limited
        0caa|Shenzhen Poseidon Network Technology Co., Ltd
        0cab|HERUTU ELECTRONICS CORPORATION
        0cac|Shenzhen Shokz Co.,Ltd.
        0cad|Shenzhen Openhearing Tech CO., LTD .
        0cae|Evident Corporation
        0caf|NEURINNOV
        0cb0|SwipeSense, Inc.
        0cb1|RF Creations
        0cb2|SHINKAWA Sensor Technology, Inc.
        0cb3|janova GmbH
        0cb4|Eberspaecher Climate Control Systems GmbH
        0cb5|Racketry, d. o. o.
        0cb6|THE EELECTRIC MACARON LLC
        0cb7|Cucumber Lighting Controls Limited
        0cb9|seca GmbH & Co. KG
        0cba|Ameso Tech (OPC) Private Limited
        0cbb|Emlid Tech Kft.
        0cbc|TROX GmbH
        0cbd|Pricer AB
        0cbf|Forward Thinking Systems LLC.
        0cc0|Garnet Instruments Ltd.
        0cc1|CLEIO Inc.
        0cc2|Anker Innovations Limited
        0cc3|HMD Global Oy
        0cc4|ABUS August Bremicker Soehne Kommanditgesellschaft
        0cc5|Open Road Solutions, Inc.
        0cc6|Serial Technology Corporation
        0cc7|SB C&S Corp.
        0cc8|TrikThom
        0cc9|Innocent Technology Co., Ltd.
        0cca|Cyclops Marine Ltd
        0ccb|NOTHING TECHNOLOGY LIMITED
        0ccc|Kord Defence Pty Ltd
        0ccd|YanFeng Visteon(Chongqing) Automotive Electronic Co.,Ltd
        0cce|SENOSPACE LLC
        0ccf|Shenzhen CESI Information Technology Co., Ltd.
        0cd0|MooreSilicon Semiconductor Technology (Shanghai) Co., LTD.
        0cd1|Imagine Marketing Limited
        0cd2|EQOM SSC B.V.
        0cd3|TechSwipe
        0cd4|Reoqoo IoT Technology Co., Ltd.
        0cd5|Numa Products, LLC
        0cd6|HHO (Hangzhou) Digital Technology Co., Ltd.
        0cd7|Maztech Industries, LLC
        0cd8|SIA Mesh Group
        0cd9|Minami acoustics Limited
        0cda|Wolf Steel ltd
        0cdb|Circus World Displays Limited
        0cdc|Ypsomed AG
        0cdd|Alif Semiconductor, Inc.
        0cdf|SHENZHEN CHENYUN ELECTRONICS  CO., LTD
        0ce0|VODALOGIC PTY LTD
        0ce1|Regal Beloit America, Inc.
        0ce2|CORVENT MEDICAL, INC.
        0ce3|Taiwan Fuhsing
        0ce4|Off-Highway Powertrain Services Germany GmbH
        0ce5|Amina Distribution AS
        0ce6|McWong International, Inc.
        0ce7|TAG HEUER SA
        0ce8|Dongguan Yougo Electronics Co.,Ltd.
        0ce9|PEAG, LLC dba JLab Audio
        0cea|HAYWARD INDUSTRIES, INC.
        0ceb|Shenzhen Tingting Technology Co. LTD
        0cec|Pacific Coast Fishery Services (2003) Inc.
        0ced|CV. NURI TEKNIK
        0cee|MadgeTech, Inc
        0cef|POGS B.V.
        0cf0|THOTAKA TEKHNOLOGIES INDIA PRIVATE LIMITED
        0cf1|Midmark
        0cf3|Radio Sound
        0cf4|SOLUX PTY LTD
        0cf5|BOS Balance of Storage Systems AG
        0cf6|OJ Electronics A/S
        0cf7|TVS Motor Company Ltd.
        0cf8|core sensing GmbH
        0cf9|Tamblue Oy
        0cfa|Protect Animals With Satellites LLC
        0cfb|Tyromotion GmbH
        0cfc|ElectronX design
        0cfe|Thule Group AB
        0cff|Ergodriven Inc
        0d00|Sparkpark AS
        0d01|KEEPEN
        0d02|Rocky Mountain ATV/MC Jake Wilson
        0d03|MakuSafe Corp
        0d04|Bartec Auto Id Ltd
        0d05|Energy Technology and Control Limited
        0d06|doubleO Co., Ltd.
        0d07|Datalogic S.r.l.
        0d08|Datalogic USA, Inc.
        0d09|Leica Geosystems AG
        0d0a|CATEYE Co., Ltd.
        0d0b|Research Products Corporation
        0d0c|Planmeca Oy
        0d0d|C.Ed. Schulte GmbH Zylinderschlossfabrik
        0d0e|PetVoice Co., Ltd.
        0d0f|Timebirds Australia Pty Ltd
        0d10|JVC KENWOOD Corporation
        0d12|Spartek Systems Inc.
        0d13|MERRY ELECTRONICS CO., LTD.
        0d14|Merry Electronics (S) Pte Ltd
        0d15|Spark
        0d16|Nations Technologies Inc.
        0d17|Akix S.r.l.
        0d18|Bioliberty Ltd
        0d19|C.G. Air Systemes Inc.
        0d1a|Maturix ApS
        0d1b|RACHIO, INC.
        0d1c|LIMBOID LLC
        0d1d|Electronics4All Inc.
        0d1e|FESTINA LOTUS SA
        0d1f|Synkopi, Inc.
        0d20|SCIENTERRA LIMITED
        0d21|Cennox Group Limited
        0d22|Cedarware, Corp.
        0d23|GREE Electric Appliances, Inc. of Zhuhai
        0d24|Japan Display Inc.
        0d25|System Elite Holdings Group Limited
        0d26|Burkert Werke GmbH & Co. KG
        0d27|velocitux
        0d28|FUJITSU COMPONENT LIMITED
        0d29|MIYAKAWA ELECTRIC WORKS LTD.
        0d2a|PhysioLogic Devices, Inc.
        0d2b|Sensoryx AG
        0d2c|SIL System Integration Laboratory GmbH
        0d2d|Cooler Pro, LLC
        0d2e|Advanced Electronic Applications, Inc
        0d2f|Delta Development Team, Inc
        0d30|Laxmi Therapeutic Devices, Inc.
        0d31|SYNCHRON, INC.
        0d32|Badger Meter
        0d33|Micropower Group AB
        0d34|ZILLIOT TECHNOLOGIES PRIVATE LIMITED
        0d35|Universidad Politecnica de Madrid
        0d36|XIHAO INTELLIGENGT TECHNOLOGY CO., LTD
        0d37|Zerene Inc.
        0d38|CycLock
        0d39|Systemic Games, LLC
        0d3a|Frost Solutions, LLC
        0d3b|Lone Star Marine Pty Ltd
        0d3c|SIRONA Dental Systems GmbH
        0d3d|bHaptics Inc.
        0d3e|LUMINOAH, INC.
        0d3f|Vogels Products B.V.
        0d40|SignalFire Telemetry, Inc.
        0d41|CPAC Systems AB
        0d42|TEKTRO TECHNOLOGY CORPORATION
        0d43|Gosuncn Technology Group Co., Ltd.
        0d44|Ex Makhina Inc.
        0d45|Odeon, Inc.
        0d46|Thales Simulation & Training AG
        0d47|Shenzhen DOKE Electronic Co., Ltd
        0d48|Vemcon GmbH
        0d49|Refrigerated Transport Electronics, Inc.
        0d4a|Rockpile Solutions, LLC
        0d4b|Soundwave Hearing, LLC
        0d4d|Optec, LLC
        0d4e|NIKAT SOLUTIONS PRIVATE LIMITED
        0d4f|Movano Inc.
        0d50|NINGBO FOTILE KITCHENWARE CO., LTD.
        0d51|Genetus inc.
        0d52|DIVAN TRADING CO., LTD.
        0d53|Luxottica Group S.p.A
        0d54|ISEKI FRANCE S.A.S
        0d55|NO CLIMB PRODUCTS LTD
        0d56|Wellang.Co,.Ltd
        0d57|Nanjing Xinxiangyuan Microelectronics Co., Ltd.
        0d58|ifm electronic gmbh
        0d59|HYUPSUNG MACHINERY ELECTRIC CO., LTD.
        0d5a|Gunnebo Aktiebolag
        0d5b|Axis Communications AB
        0d5d|Stogger B.V.
        0d5e|Pella Corp
        0d5f|SiChuan Homme Intelligent Technology co.,Ltd.
        0d60|Smart Products Connection, S.A.
        0d61|F.I.P. FORMATURA INIEZIONE POLIMERI - S.P.A.
        0d62|MEBSTER s.r.o.
        0d63|SKF France
        0d64|Southco
        0d65|Molnlycke Health Care AB
        0d66|Hendrickson USA , L.L.C
        0d67|BLACK BOX NETWORK SERVICES INDIA PRIVATE LIMITED
        0d68|Status Audio LLC
        0d69|AIR AROMA INTERNATIONAL PTY LTD
        0d6a|Helge Kaiser GmbH
        0d6b|Crane Payment Innovations, Inc.
        0d6c|Ambient IoT Pty Ltd
        0d6d|DYNAMOX S/A
        0d6e|Look Cycle International
        0d6f|Closed Joint Stock Company NVP BOLID
        0d70|Kindhome
        0d71|Kiteras Inc.
        0d72|Earfun Technology (HK) Limited
        0d73|iota Biosciences, Inc.
        0d74|ANUME s.r.o.
        0d75|Indistinguishable From Magic, Inc.
        0d76|i-focus Co.,Ltd
        0d77|DualNetworks SA
        0d78|MITACHI CO.,LTD.
        0d79|VIVIWARE JAPAN, Inc.
        0d7a|Xiamen Intretech Inc.
        0d7b|MindMaze SA
        0d7c|BeiJing SmartChip Microelectronics Technology Co.,Ltd
        0d7d|Taiko Audio B.V.
        0d7e|Daihatsu Motor Co., Ltd.
        0d7f|Konova
        0d80|Gravaa B.V.
        0d81|Beyerdynamic GmbH & Co. KG
        0d82|VELCO
        0d83|ATLANTIC SOCIETE FRANCAISE DE DEVELOPPEMENT THERMIQUE
        0d84|Testo SE & Co. KGaA
        0d85|SEW-EURODRIVE GmbH & Co KG
        0d86|ROCKWELL AUTOMATION, INC.
        0d87|Quectel Wireless Solutions Co., Ltd.
        0d89|Nanohex Corp
        0d8a|Simply Embedded Inc.
        0d8b|Software Development, LLC
        0d8c|Ultimea Technology (Shenzhen) Limited
        0d8d|RF Electronics Limited
        0d8e|Optivolt Labs, Inc.
        0d8f|Canon Electronics Inc.
        0d90|LAAS ApS
        0d91|Beamex Oy Ab
        0d92|TACHIKAWA CORPORATION
        0d93|HagerEnergy GmbH
        0d95|Hunter Industries Incorporated
        0d96|NEOKOHM SISTEMAS ELETRONICOS LTDA
        0d97|Zhejiang Huanfu Technology Co., LTD
        0d98|E.F. Johnson Company
        0d99|Caire Inc.
        0d9a|Yeasound (Xiamen) Hearing Technology Co., Ltd
        0d9b|Boxyz, Inc.
        0d9c|Skytech Creations Limited
        0d9d|Cear, Inc.
        0d9e|Impulse Wellness LLC
        0d9f|MML US, Inc
        0da0|SICK AG
        0da1|Fen Systems Ltd.
        0da2|KIWI.KI GmbH
        0da3|Airgraft Inc.
        0da4|HP Tuners
        0da5|PIXELA CORPORATION
        0da6|Generac Corporation
        0da7|Novoferm tormatic GmbH
        0da8|Airwallet ApS
        0da9|Inventronics GmbH
        0daa|Shenzhen EBELONG Technology Co., Ltd.
        0dab|Efento
        0dac|ITALTRACTOR ITM S.P.A.
        0dae|TITUM AUDIO, INC.
        0daf|Hexagon Aura Reality AG
        0db0|Invisalert Solutions, Inc.
        0db1|TELE System Communications Pte. Ltd.
        0db2|Whirlpool
        0db3|SHENZHEN REFLYING ELECTRONIC CO., LTD
        0db4|Franklin Control Systems
        0db5|Djup AB
        0db6|SAFEGUARD EQUIPMENT, INC.
        0db7|Morningstar Corporation
        0db8|Shenzhen Chuangyuan Digital Technology Co., Ltd
        0db9|CompanyDeep Ltd
        0dba|Veo Technologies ApS
        0dbb|Nexis Link Technology Co., Ltd.
        0dbc|Felion Technologies Company Limited
        0dbd|MAATEL
        0dbe|HELLA GmbH & Co. KGaA
        0dbf|HWM-Water Limited
        0dc0|Shenzhen Jahport Electronic Technology Co., Ltd.
        0dc1|NACHI-FUJIKOSHI CORP.
        0dc2|Cirrus Research plc
        0dc3|GEARBAC TECHNOLOGIES INC.
        0dc4|Hangzhou NationalChip Science & Technology Co.,Ltd
        0dc5|DHL
        0dc6|Levita
        0dc7|MORNINGSTAR FX PTE. LTD.
        0dc8|ETO GRUPPE TECHNOLOGIES GmbH
        0dc9|farmunited GmbH
        0dca|Aptener Mechatronics Private Limited
        0dcb|GEOPH, LLC
        0dcc|Trotec GmbH
        0dcd|Astra LED AG
        0dce|NOVAFON - Electromedical devices limited liability company
        0dcf|KUBU SMART LIMITED
        0dd0|ESNAH
        0dd1|OrangeMicro Limited
        0dd2|Fresh n Rebel B.V.
        0dd3|Global Satellite Engineering
        0dd4|KOQOON GmbH & Co.KG
        0dd5|BEEPINGS
        0dd6|MODULAR MEDICAL, INC.
        0dd7|Xiant Technologies, Inc.
        0dd9|SCHELL GmbH & Co. KG
        0dda|Minebea Intec GmbH
        0ddb|KAGA FEI Co., Ltd.
        0ddc|AUTHOR-ALARM, razvoj in prodaja avtomobilskih sistemov proti kraji, d.o.o.
        0ddd|Tozoa LLC
        0dde|SHENZHEN DNS INDUSTRIES CO., LTD.
        0ddf|Shenzhen Lunci Technology Co., Ltd
        0de0|KNOG PTY. LTD.
        0de1|Outshiny India Private Limited
        0de2|TAMADIC Co., Ltd.
        0de3|Shenzhen MODSEMI Co., Ltd
        0de4|EMBEINT INC
        0de5|Ehong Technology Co.,Ltd
        0de6|DEXATEK Technology LTD
        0de7|Dendro Technologies, Inc.
        0de8|Vivint, Inc.
        0de9|General Laser GmbH
        0dea|Kathrein Solutions GmbH
        0deb|Fitz Inc.
        0dec|ATEGENOS PHARMACEUTICALS INC
        0ded|Flextronic GmbH
        0dee|Safety Swim LLC
        0def|SING SUN TECHNOLOGY (INTERNATIONAL) LIMITED
        0df0|Woncan (Hong Kong) Limited
        0df1|iFLYTEK (Suzhou) Technology Co., Ltd.
        0df2|Weber-Stephen Products LLC
        0df3|hDrop Technologies Inc.
        0df4|REEKON TOOLS INC.
        0df5|Delta Faucet Company
        0df6|Mutrack Co., Ltd
        0df7|Hangzhou Zhaotong Microelectronics Co., Ltd.
        0df8|Chengdu CSCT Microelectronics Co., Ltd.
        0df9|Belusun Technology Ltd.
        0dfa|Shenzhen Matches IoT Technology Co., Ltd.
        0dfb|Beidou Intelligent Connected Vehicle Technology Co., Ltd.
        0dfc|SOJI ELECTRONICS JOINT STOCK COMPANY
        0dfd|BH Technologies
        0dfe|Haptech, Inc.
        0dff|WaveRF, Corp.
        0e00|SHENZHEN SOUNDSOUL INFORMATION TECHNOLOGY CO.,LTD
        0e01|Wuhu Mengbo Technology Co., Ltd.
        0e02|PROSYS DEV LIMITED
        0e03|Shenzhen eMeet technology Co.,Ltd
        0e04|Doro AB
        0e05|SUREPULSE MEDICAL LIMITED
        0e06|iodyne, LLC
        0e07|Pinpoint GmbH
        0e08|Heinrich Kopp GmbH
        0e09|Evolutive Systems SL
        0e0b|Sounding Audio Industrial Ltd.
        0e0c|Yuanfeng Technology Co., Ltd.
        0e0d|FrontAct Co., Ltd.
        0e0f|SenseWorks Tecnologia Ltda.
        0e10|Eko Health, Inc.
        0e11|Wanzl GmbH & Co. KGaA
        0e12|CLEVER LOGGER TECHNOLOGIES PTY LIMITED
        0e13|ASYSTOM
        0e14|Heilongjiang Tianyouwei Electronics Co.,Ltd.
        0e15|Eastern Partner Limited
        0e16|Xiamen RUI YI Da Electronic Technology Co.,Ltd
        0e17|Ad Hoc Electronics, llc.
        0e18|Hangzhou Microimage Software Co.,Ltd.
        0e19|Hive-Zox International SA
        0e1a|Sensovo GmbH
        0e1b|Time Location Systems AS
        0e1c|SHENZHEN DIGITECH CO., LTD
        0e1d|Capte B.V.
        0e1e|9512-5837 QUEBEC INC.
        0e1f|Blecon Ltd
        0e20|CFLAB TEKNOLOJI TICARET LIMITED SIRKETI
        0e21|FOGO
        0e22|HITO INC
        0e23|MS kajak7 UG (limited liability)
        0e24|Avedis Zildjian Co.
        0e25|Hangzhou Hikvision Digital Technology Co., Ltd.
        0e26|LIHJOEN SPEED METER CO., LTD.
        0e27|NextSense, Inc.
        0e28|PatchRx, Inc.
        0e29|Flipper Devices Inc.
        0e2a|Huizhou Foryou General Electronics Co., Ltd.
        0e2b|JE electronic a/s
        0e2c|9313-7263 Quebec inc.
        0e2d|ECARX (Hubei) Tech Co.,Ltd.
        0e2e|NIHON KOHDEN CORPORATION
        0e2f|ONWI
        0e30|Primax Electronics Ltd.
        0e31|AlphaTheta Corporation
        0e32|PACIFIC INDUSTRIAL CO., LTD.
        0e33|Crescent NV
        0e34|Vermis, software solutions llc
        0e35|SNAPPWISH LLC
        0e36|Cousins and Sears LLC
        0e37|CESYS Gesellschaft für angewandte Mikroelektronik mbH
        0e38|SLOC GmbH
        0e39|IRES Infrarot Energie Systeme GmbH
        0e3a|OFIVE LIMITED
        0e3b|Swift IOT Tech (Shenzhen) Co., LTD.
        0e3c|Viselabs
        0e3d|Walmart Inc.
        0e3e|VANBOX
        0e3f|Wiser Devices, LLC
        0e40|WKD Labs Ltd
        0e41|Asustek Computer Inc.
        0e42|Z-ONE Technology Co., Ltd.
        0e43|InnoVision Medical Technologies, LLC
        0e44|QUANTATEC
        0e45|Filo Srl
        0e46|SOUNDUCT
        0e47|Hosiden Besson Limited
        0e48|KARLUNA MUHENDISLIK SANAYI VE TICARET ANONIM SIRKETI
        0e49|Deone (Shanghai) Communication & Technology Co., Ltd
        0e4a|Nitto Denko Corporation
        0e4b|PUDSEY DIAMOND ENGINEERING LIMITED
        0e4c|Luxshare Precision Industry Co., Ltd.
        0e4d|Brooksee, Inc.
        0e4e|QSC, LLC
        0e4f|eBet Gaming Sytems Pty Limited
        0e50|Zhejiang Desman Intelligent Technology Co., Ltd.
        0e51|Dyaco International Inc.
        0e52|Aquana, LLC
        0e53|MINIRIG
        0e54|Relief Technologies AS
        0e55|New Cosmos Electric Co., Ltd.
        0e56|INEPRO Metering B.V.
        0e57|Altina Inc.
        0e58|Urban Armor Gear, LLC
        0e59|Loewe Technology GmbH
        0e5a|OmniWave Microelectronics Shanghai Co., Ltd
        0e5b|Wuhu Hongjing Electronic Co.,Ltd
        0e5c|Rocoto Ltd
        0e5d|L.T.H. Electronics Limited
        0e5e|SHAPER TOOLS, INC.
        0e5f|Ruptela
        0e60|Ant Group Co., Ltd.
        0e61|Queclink Wireless Solutions Co., Ltd.
        0e62|GOKI PTY LTD
        0e63|LAST LOCK INC.
        0e64|HuiTong intelligence Company Limited
        0e65|Daikin Industries, LTD
        0e66|Shenzhen Baseus Technology Co., Ltd.
        0e67|NEXT DEVICES LTDA
        0e68|EarTex Ltd
        0e69|Megatronix (Beijing) Technology Co., Ltd
        0e6a|Hyena Inc.
        0e6b|Shenzhen Goodocom Information Technology Co., Ltd.
        0e6c|RIGH, INC.
        0e6d|FEVOS LIMITED
        0e6f|OpConnect, Inc.
        0e70|Powerstick.com
        0e71|ENABLEWEAR LLC
        0e72|TOR.AI LIMITED
        0e73|Adventures of the Persistently Impaired (and other tales) Limited
        0e74|Rocky Radios LLC
        0e75|Le Touch (Shenzhen) Electronics Co., Ltd.
        0e76|Guangdong Nanguang Photo&Video Systems Co., Ltd.
        0e77|MOBILE TECH, INC.
        0e78|HONG KONG COMMUNICATIONS COMPANY LIMITED
        0e79|Neptune First OU
        0e7a|Vivago Oy
        0e7b|Circular
        0e7c|final Inc.
        0e7d|Jiangsu XinTongda Electric Technology Co.,Ltd.
        0e7e|Archon Controls LLC
        0e7f|SZR-Dev UG
        0e80|IQNEXXT Solutions GmbH
        0e81|Guangdong Hengqin Xingtong Technology Co.,ltd.
        0e82|CHEVALIER TECH LIMITED
        0e83|SPRiNTUS GmbH
        0e84|Tymphany HK Ltd
        0e85|TigerLight, Inc.
        0e86|Mercury Marine, a division of Brunswick Corporation
        0e87|OpenTech Alliance, Inc.
        0e88|Skewered Fencing, LLC
        0e89|Brudden
        0e8a|Tele-Radio i Lysekil AB
        0e8b|Allgon AB
        0e8c|Gopod Group Holding Limited
        0e8d|Celebrities Management Private Limited
        0e8e|Nobest Inc
        0e8f|Avetos Design LLC
        0e90|RainMaker Solutions, Inc.
        0e91|Identita Inc.
        0e92|Glutz AG
        0e93|MIV ELECTRONICS, LTD
        0e94|Tactrix
        0e95|Viaanix, Inc.
        0e96|Skeed,co,Ltd.
        0e97|kokoromil Inc.
        0e98|Chromatic Inc.
        0e99|Medibound, Inc.
        0e9a|Scanbro OU
        0e9b|Panasonic Automotive Systems Co., Ltd.
        0e9c|Andrews & Arnold Ltd
        0e9d|Audinor ApS
        0e9e|Travelxp India Private Limited
        0e9f|Owlet Baby Care Inc.
        0ea0|ENLESS WIRELESS
        0ea1|Culligan International Company
        0ea2|QIKCONNEX LLC
        0ea3|OLIS ELECTRONICS, LLC
        0ea4|BiTECH Automotive (Wuhu) Co.,Ltd
        0ea5|EasyReach Solutions Private Limited
        0ea6|AMG Lab LLC
        0ea7|BrickXter GmbH
        0ea8|Dongguan Trangjan Industrial Co., Ltd
        0ea9|Makichie Co., Ltd.
        0eaa|Hive Soundz inc.
        0eab|STEYR Sport GmbH
        0eac|Dynetrex Solutions Inc.
        0ead|OPTRON Co., Ltd.
        0eae|BHClears Microelectronics (Shanghai) Co., Ltd.
        0eaf|Unfolded Circle ApS
        0eb0|FactorySense
        0eb1|WearNex Limited
        0eb2|PRADCO Outdoor Brands
        0eb3|Zucchetti Axess
        0eb4|BLUEFIN DATA, LLC
        0eb5|Preseed Japan Corporation
        0eb6|Server Products, Inc.
        0eb7|Embedded Solutions LLC
        0eb8|PARAGON ID
        0eb9|egojin co,.ltd
        0eba|THERMY LTD
        0ebb|Asahi Denso Co.,Ltd.
        0ebc|GP Acoustics International Limited
        0ebd|Tongfang Health Technology (Beijing) Co., Ltd.
        0ebe|Deity Acoustic Technology Co.
        0ebf|Schulte-Schlagbaum AG
        0ec0|WEST inx Ltd.
        0ec1|Crossdoor
        0ec2|High Entropy, LLC
        0ec3|Herschel Infrared Ltd
        0ec4|PACIFIC MARINE BATTERIES PTY. LIMITED
        0ec5|Alibaba (China) Co., Ltd.
        0ec6|AuthGate B.V.
        0ec7|Canyon Bicycles GmbH
        0ec8|Codie LLC
        0ec9|NeuroPace Inc
        0eca|NexRev LLC
        0ecb|Zhong Shan City Richsound Electronic Industrial Ltd.
        0ecc|Shenzhen NEOECO Technology Co., Ltd.
        0ecd|Nature Inc.
        0ece|Guangzhou Honor Microelectronic Co.,Ltd.
        0ecf|GGEC America, Inc.
        0ed0|Gibson, Inc.
        0ed1|VINYL MATT MEDIA LIMITED
        0ed2|SHENZHEN BESTWAY ELECTRONICS CO.,LTD
        0ed3|Lichens Innovation inc.
        0ed4|Goerdyna Group Co., Ltd
        0ed5|Relish Technologies Limited
        0ed6|Quintessential Design, Inc.
        0ed7|CS INSTRUMENTS GmbH & Co.KG
        0ed8|DORAN MFG. LLC
        0ed9|Overhead Door Corporation
        0eda|Kodira GmbH
        0edb|ShenZhen BoYiChuangXin
        0edc|Shenzhen Zoqin Technology Co., Ltd.
        0edd|Ceridwen Limited
        0ede|Sony Honda Mobility Inc.
        0edf|Dynaudio A/S
        0ee0|MAERSK CONTAINER INDUSTRY A/S
        0ee1|MA MICRO LIMITED
        0ee2|shenzhen hongever technology Co,. Ltd
        0ee3|TAMRON Co., Ltd.
        0ee4|CAPTEMP, LDA
        0ee5|Ambient Life Inc.
        0ee6|NOCTRIX HEALTH, INC
        0ee7|RICKARD AIR DIFFUSION (PTY) LTD
        0ee8|SG Armaturen AS
        0ee9|PIXEL TI IND. E COM PROD ELETRONICOS
        0eea|Core Devices LLC
        0eeb|Fujita Electric Works, Ltd
        0eec|Willow Laboratories, Inc.
        0eed|BBC Bircher AG
        0eee|ELLEA INGEGNERIA SRL UNIPERSONALE
        0eef|Q42 Internet B.V.
        0ef0|Seaward Electronic
        0ef1|Wuxi Does IOT Co., Ltd
        0ef2|CAPTAIN BLINK
        0ef3|Monil AS
        0ef5|LS ELECTRIC Co., Ltd.
        0ef6|Shenzhen Cyber Innovation Technology Co., Ltd.
        0ef7|Trackonomy Systems, Inc.
        0ef8|IoT Solutions Malta Limited
        0ef9|Aseptico, Inc.
        0efa|Sensear Pty Ltd
        0efb|BLUEPROVIDERZ LLC
        0efc|Jano Life Inc.
        0efd|PRIMES GmbH
        0efe|Teledyne Instruments, Inc.
        0eff|Healthcare Technology Limited
        0f00|TRACERCO LIMITED
        0f01|HAPPLABS SOFTWARE PRIVATE LIMITED
        0f02|GE HEALTHCARE TECHNOLOGIES INC.
        0f03|Olibra LLC
        0f04|Lumen Labs (HK) Ltd
        0f05|SHENZHEN GWSTAI TECHNOLOGY CO.,LTD
        0f06|SHENZHEN POWEROAK NEWENER CO., LTD
        0f07|Tech OVN Private Limited
        0f08|Lezyne USA Inc.
        0f09|ANC CHINA LIMITED
        0f0a|LION GROUP, INC.
        0f0b|Brightway Innovation Intelligent Technology (Suzhou) Co., Ltd.
        0f0c|Hitachi Industrial Equipment Systems Co.,Ltd.
        0f0d|Maennl Elektronik GmbH
        0f0e|IDEATRONIK Limited Liability Company
        0f0f|caive Inc.
        0f10|ShenZhen Doctors of Intelligence & Technology Co.,Ltd
        0f11|Deep and Steep LLC
        0f12|Endur ID, Inc.
        0f13|Freshape SA
        0f14|PreEvnt, LLC
        0f15|Oval Corporation
        0f16|ADHD Friendly co.Ltd
        0f17|RORENTECH Co., Ltd.
        0f18|iKeyless, LLC
        0f19|Shenzhen SuperSound Technology Co.,Ltd
        0f1a|FLO SCIENCES, LLC
        0f1b|PalatiumCare LLC
        0f1c|Edge Semiconductors Inc.
        0f1d|ZIMMERMANN PV-Steel Group GmbH & Co. KG
        0f1e|Yolni Inc.
        0f1f|Ninebot (Changzhou) Tech Co., Ltd.
        0f20|Beijing Spring Creation Technology Co., Ltd.
        0f21|Rokk Limited
        0f22|ONESPACE TECHNOLOGIES (PTY) LTD
        0f23|Yuquan Semiconductor (Xiamen) Co., Ltd.
        0f24|Easy Measure Co., Ltd.
        0f25|Sichuan Changhong Neonet Technologies Co.,Ltd.
        0f26|Centromere Holding B.V.
        0f27|Global Link Distribution Corp.
        0f28|Amp Fit Israel LTD
        0f29|Trezor Company s.r.o.
        0f2a|KELLER Druckmesstechnik AG
        0f2b|ElitEngineering LLC
        0f2c|Vision Group Inc.
        0f2d|ClipsClips LLC
        0f2e|BRITZ INTERNATIONAL CO.,LTD
        0f2f|ThingCo Limited
        0f30|Opal Camera, Inc.
        0f31|TECHNOLOGIES FOR FREERIDE s.r.o
        0f32|FLINTEC UK LIMITED
        0f33|TETNET
        0f34|NINGBO SHARKWARD ELECTRONICS CO.,LTD
        0f35|Audeze LLC
        0f36|NODER Joint Stock Company
        0f37|Schueco International KG
        0f38|GILL INSTRUMENTS LIMITED
        0f39|Seitron Spa
        0f3a|Southern Audio Services, Inc
        0f3b|SANWA NEWTEC CO.,LTD.
        0f3c|Mobile Technology Solutions LLC
        0f3d|Vitio Medical S.L.
        0f3e|Salyx Medical Inc.
        0f3f|Landig + Lava GmbH & Co. KG
        0f40|Health Data Insight C.I.C.
        0f41|BONX INC.
        0f42|LINKEDCHIP TECHNOLOGY INC
        0f43|12mm Health Technology (Hainan) Co., Ltd.
        0f44|MAVERICK ENERGY SOLUTIONS INTERNATIONAL,INC
        0f45|Tactica Defense LLC
        0f46|Huizhou Meicanxin Electronics Technology Co.,Ltd
        0f47|Lodestar Technology Inc.
        0f48|Shenzhen Xinfeiyi Technology Co., Ltd.
        0f49|IYO INC.
        0f4a|Mitsubishi Motors Corporation
        0f4b|desamisCo.,Ltd.
        0f4c|JL WORLD CORPORATION LIMITED
        0f4d|Qulinda AB
        0f4e|Ningbo Dooya Mechanic & Electronic Technology Co., Ltd
        0f4f|G-Vision GmbH
        0f50|Lantern Innovations Incorporated
        0f51|ebm-papst Mulfingen GmbH & Co. KGaA & Co. KG
        0f52|Shenzhen Yunke Intelligent Co.Ltd
        0f53|Fledt & Meiton Marin AB
        0f54|ContiTech Deutschland GmbH
        0f55|Sensoteq Ltd
        0f56|Astute Access Group Limited
        0f57|Silverlake Technologies
        0f58|Shenzhen Guo-link Technology Co.,Ltd.
        0f59|Silicon Vandals PTY LTD
        0f5a|Vibe Energy B.V.
        0f5b|shanghai fudan electronics group company Co. Ltd
        0f5c|Micro Technology Services, Inc.
        0f5d|Leapcraft ApS
        0f5e|WUXI WEIDA INTELLIGENT ELECTRONICS CO.,LTD.
        0f5f|ROBSON SRL
        0f60|Quilt Systems, Inc.
        0f61|HyolimXE Co., Ltd.
        0f62|Kehwin Technologies Co. Ltd.
        0f63|WATTER, Inc.
        0f64|SafeNow GmbH
        0f65|CZV, Inc
        0f66|BIGREDBEE, LLC
        0f67|White Eagle Sonic Technologies, Inc.
        0f68|Navico
        0f69|Ancoe Industry Corporation
        0f6a|Roam Devices LLC
        0f6b|Skywalk Inc.
        0f6c|Biogents AG
        0f6d|MODRETRO, INC.
        0f6e|iSi Wearable Safety GmbH
        0f6f|onanoff limited
        0f70|TECHFLITTER SOLUTIONS PRIVATE LIMITED
        0f71|PIRITIZ LLC
        0f72|FLORLINK, INC.
        0f73|Keycafe Inc.
        0f74|Sperry Labs LLC
        0f75|Senseonics, Incorporated
        0f76|simatec ag
        0f77|CROSS BRAIN CO.,Ltd.
        0f78|Also, Inc.
        0f79|Walter Mueller Inc. for Industrial Electronics
        0f7a|SHENZHEN GUANG QI GUO CHUANG TECHNOLOGY CO.,LTD
        0f7b|SKYROAM, INC.
        0f7c|Polk Audio
        0f7d|eQ-3 AG
        0f7e|shenzhen Holyiot Technology Co.,Ltd
        0f7f|Badass eBikes GmbH
        0f80|Hydro Electronic Devices, Inc.
        0f81|IN Phase International lTD
        0f82|Amon Co.Ltd.
        0f83|Calpeda S.p.A.
        0f84|KT Micro, Inc.
        0f85|Hangzhou Sciener Smart Technology Co., Ltd.
        0f86|Lakecrest Pty Ltd
        0f87|Anacove Inc.
        0f88|Kohler Ventures, Inc.
        0f89|STOREIO TECHNOLOGIES LTD
        0f8a|Innogando S.L.
        0f8b|A.Y. McDonald Mfg. Co.
        0f8c|ROYAL PARTS CO.,LTD
        0f8d|JUREN CO., LTD.
        0f8e|Biceek Inc
        0f8f|SIGNUM INTELLIGENCE LTD
        0f90|MOBI7 TECNOLOGIA EM MOBILIDADE S.A.
        0f91|Valostra Digital Ventures LLP
        0f92|Ethos Group, Inc.
        0f93|Aktiebolaget Ebeco
        0f94|IDX Company, Ltd.
        0f95|Dongguang Huasoo Automation Technology Company Limited
        0f96|SEIKOIST, INC
        0f97|SPX Aids to Navigation Oy
        0f98|Fitnexa Inc
        0f99|DEZINE GROUP LLC
        0f9a|Eiritsu Electronics Industry Co., Ltd.
        0f9b|Hanshow Technology Co.,Ltd.
        0f9c|WePower Technologies LLC
        0f9d|IRTrans GmbH
        0f9e|Hibino Corporation
        0f9f|Seiko Future Creation Inc.
        0fa0|DP IOT
        0fa1|PALRED RETAIL PRIVATE LIMITED
        0fa2|BIA NEUROSCIENCE INC.
        0fa3|B.E.G. Brueck Electronic GmbH
        0fa4|Nice Spa
        0fa5|Avanos Medical, Inc.
        0fa6|Ugreen Group Limited
        0fa7|spheretek japan
        0fa8|Senti Technologies Private Limited
        0fa9|Ranch Systems, Inc.
        0faa|Suzhou Fanxi Technology Co., Ltd.
        0fab|Geo Radar AI Private Limited
        0fac|Flitsmeister B.V.
        0fad|The AI Toy Company
        0fae|Capacite
        0faf|Terasite Technologies
        0fb0|General Resistance, LLC
        0fb1|Avivomed Inc.
        0fb2|PLAUD Inc.
        0fb3|Hooked Society Oy Ltd
        0fb4|StoneDevices
        0fb5|Hangzhou Nano IC Technologies Co,. Ltd
        0fb6|TQ-Systems GmbH
        0fb7|Hapn Holdings, LLC
        0fb8|SITERWELL ELECTRONICS CO.,LIMITED
        0fb9|Shenzhen Mutual Technology Co., Ltd
        0fba|Cosonic Intelligent Technologies Co., Ltd.
        0fbb|Rollease Acmeda, Inc.
        0fbc|ATANS TECHNOLOGY INC.
        0fbd|Locus Robotics Corp.
        0fbe|TaigaIoT
        0fbf|Tridentify AB
        0fc0|Littlebird Connected Care, Inc.
        0fc1|Air Automotive tracking Inc.
        0fc2|ISSPRO, INC
        0fc3|Shenzhen Jimi loT Co.,Ltd
        0fc4|FulScience Automotive Electronics Co., Ltd.
        0fc5|Hypershell Co., Ltd
        0fc6|ASD Lighting PLC
        0fc7|Pharox B.V.
        0fc8|Eforthink Technology Co., Ltd.
        0fc9|Zirbel Bike GmbH
        0fca|Legato Audio, Inc.
        0fcb|Biocorp Production
        0fcc|Neurotherapeutics Ltd
        0fcd|Wimate Technology Solutions Pvt Ltd
        0fce|NOJA Power
        0fcf|Nestlab AS
        0fd0|Stark Future SL
        0fd1|Auranova LLC
        0fd2|Domteknika S.A
        0fd3|YDIIT Co., Ltd
        0fd4|QRITAGYA LLP
        0fd5|Telemacy Ltd
        0fd6|LIOTYS
        0fd7|Hondata, Inc.
        0fd8|SIVA Inotec Limited
        0fd9|REMDEVICE S.R.L.
        0fda|NIVELCO PROCESS CONTROL CO.
        0fdc|Beijing Hongsi Electronic Technology Co.,Ltd.
        103a|FOSS Analytical A/S
        103d|Blahaj Ltd
        103e|Nextorage Corporation
        103f|infyni
        1040|Raspberry Pi
        1041|Shenzhen Huasheng Jiaye Technology Co., Ltd
        1042|Namara Water Technologies, Inc
        1043|Shanghai Holychip Electronic Co., Ltd.
        1044|Rotarex S.A.
        1045|VOTRONIC Elektronik-Systeme GmbH
        1046|EXELIO S.R.L.
        1047|Yamaha Motor eBike Systems GmbH
        1048|Ferrari s.p.a.
        1049|Anhui Ubico Advanced Manufacture Co., Ltd.
        104a|Mueller-BBM Rail Technologies GmbH
        104b|Yoto Limited
        104c|LAUMAS Elettronica S.r.l.
        104d|BUND MEDIA PTY. LTD.
        104e|LSC Control Systems Pty Ltd
        104f|Safety Lighting Research Pty Ltd
        1050|Hangzhou Sneuro Medical Co., Ltd.
        1051|UnlimitedIRL LLC
        1052|CHOZEN International CO., LTD.
        1053|Sensorworx, Inc.
        1054|Romcor Pty Ltd
        1055|NewNet, Inc.
        1056|CLM-Solutions
        1057|RSA Security LLC
        1058|Gravity (Shenzhen)Space Technology Co., Ltd
        1059|Shenzhen Shuye Technology Co.,Ltd.
        105a|ArjoHuntleigh AB
        105b|Fairbanks Scales Inc.
        105c|YANMAR HOLDINGS CO., LTD.
        105d|Williams Sound, LLC
        105e|Zuuka Limited
        105f|Chip-pump Microelectronics
        1060|TOMOE VALVE CO.,LTD
        1061|VCS Vision Control Solutions GmbH
        1062|Framason Audio S.A
        1063|Field Line Automation Ltd
        1064|Shearwater Research Inc.
        1065|HIGH HIT ENTERPRISE CO., LTD.
        1066|Algiz AS
        1067|Shenzhen FHX Precision Hardware & Plastic Co., Ltd.
        1068|Hotron Co., Ltd.
        1069|Remoticom B.V.
        106a|OSKEY
        106b|GORDON MURRAY GROUP LIMITED
        106c|Global Electronics
        106d|Rokstar Holdings Limited
        106e|STRYDE LIMITED
        106f|Prosaris Solutions Ltd.
        1070|TLV Co.,LTD.
        1071|IZYBAT
        1072|ALTESSA SOLUTIONS INC.
        1073|Hong Kong Future lntelligent Technology Co., Limited
        1074|CenTrak, Inc.
        1075|TM-TECHNOLOGIES, JSC
        1076|ALPHADIF
        1077|Shenzhen Muyu Technology Co., Ltd.
        1078|augment AI Inc.
        1079|Digimax Innovative Products LTD.
        107a|CodaHD LLC
        107b|E.J. Brooks Company
        107c|Martin.Care GmbH
        107d|IMPACT-BZ LTD
        107e|Belford investment holdings pty ltd
        107f|Anton Paar ConsumerTec GmbH
        1080|Knit Sound Company
        1081|Australis Scientific Pty Ltd.
        1082|AIR PRODUCTS AND CHEMICALS, INC.
        1083|SYSTEM LOCO LTD
        1084|24x8, LLC
        1085|FUTURE INTELLIGENCE TECHNOLOGY SINGAPORE PTE. LTD.
        1086|M3SH TECHNOLOGY INC.
        1087|Matisse Interactif inc.
        1088|Sesame AI, Inc.
        1089|DEER MANAGEMENT SYSTEMS, LLC
        108a|Grayhill Inc.
        108b|PERUN TECH SP. Z O.O.
        108c|Tiny Displays Inc.
        108d|DEWINE Labs GmbH
        108e|Industrial Computing Limited
        108f|SkyCell AG
        1090|NAGANO KEIKI CO., LTD.
        1091|COSEL ELEKTRONIK OTOMASYON SISTEMLERI SANAYI VE TICARET LIMITED SIRKETI
        1092|BXB DIGITAL PTY LIMITED
        1093|Mindspire Limited
        1094|Personal Products Co., Ltd.
        1095|CardiaMetrics
        1096|Aktv8 LLC
        1097|Knox Associates, Inc.
        1098|smart-TEC GmbH & Co. KG
        1099|Selco GmbH
        109a|MONNIT CORPORATION
        109b|Tensoli GmbH
        109c|KIBLE
        109d|terumo
        109e|SHIBAURA ELECTRONICS CO., LTD.
        109f|Shenzhen Hali-Power Industrial Co., Ltd.
        10a0|inContAlert GmbH
        10a1|flexlog GmbH
        10a2|Audio Research Corporation
        10a3|BQT Solutions (NZ) Limited
        10a4|RAPIDISE TECHNOLOGY PRIVATE LIMITED
        10a5|Cebreo Medical A/S
        10a6|Lightnovo ApS
        10a7|Pedigree Technologies, LLC
        10a8|Zhejiang Wanyou Intelligent Technology Co., Ltd.
        10a9|Mallow
        10aa|Sigenergy Technology Co., Ltd.
        10ab|ObjectSpectrum, LLC
        10ac|ATsens Co.,Ltd.
        10ad|CoreHW Semiconductor Oy
        10ae|Raycon Inc.
        """)
}
