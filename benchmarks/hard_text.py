"""Sixty sentences of our own that are hard to read aloud, and what must be heard of each.

A paragraph is five sentences. After the sentence stand the things that must be heard, each with the ways in which a
listener may write it ("1863|eighteen sixty three"); names also as a listener may spell them.
"""

PARAGRAPHS: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = (
    (
        ("“I shouldn’t!” said the old man at once.", ("shouldnt|should not",)),
        ("He won’t come, and she can’t wait.", ("wont|will not", "cant|cannot|can not")),
        ("They hadn’t seen it; nobody had.", ("hadnt|had not", "nobody|no body")),
        ("It isn’t late, is it?", ("isnt|is not",)),
        ("You mustn’t—you really mustn’t—say a word.", ("mustnt|must not",)),
    ),
    (
        ("It fell in 1863 and was built again in 1905.", ("1863|eighteen sixty three", "1905|nineteen oh five")),
        ("He was born on 5 May 1790.", ("5|fifth|5th", "may", "1790|seventeen ninety")),
        ("The letter is dated 2019-03-14.", ("march", "14|fourteenth|14th", "2019|twenty nineteen")),
        ("From 1914–18 she drove a van.", ("1914|nineteen fourteen", "18|eighteen|1918")),
        ("It was the hottest summer of the 1920s.", ("1920s|nineteen twenties|20s|twenties",)),
    ),
    (
        ("Dr. Hale lives at 12 St. James St.", ("doctor|dr", "12|twelve", "saint james|st james", "street|st")),
        ("Mr. and Mrs. Lane met Prof. Gray.", ("mister|mr", "missus|mrs|misses|missis", "professor|prof", "gray|grey")),
        ("Lt. Col. Marsh spoke to Sgt. Reed.", ("lieutenant|leftenant", "colonel|kernel", "sergeant", "reed|read")),
        ("See vol. 3, pp. 10–12, and No. 7.", ("volume", "3|three", "10|ten", "12|twelve", "number|no", "7|seven")),
        ("Gen. Stone wrote to Capt. Dale, etc.", ("general", "captain", "et cetera|etc|etcetera")),
    ),
    (
        ("Henry VIII had six wives.", ("henry", "eighth|8th|viii|the 8")),
        ("World War II ended in 1945.", ("world war", "2|two|ii", "1945|nineteen forty five")),
        ("Louis XIV was not the last Louis.", ("fourteenth|14th|xiv", "not")),
        ("In Part IV the story turns.", ("part", "4|four|iv")),
        ("Pope John XXIII smiled.", ("john", "23rd|twenty third|xxiii|23")),
    ),
    (
        ("They lost $5.3 billion in a day.", ("5 3 billion|five point three billion|53 billion", "dollars|billion")),
        ("He paid £3 10s. 6d. for the hat.", ("3|three", "10|ten", "sixpence|six pence|6 pence|6p")),
        ("Only €12.50 was left.", ("12|twelve", "50|fifty")),
        ("A cup of tea cost 40p then.", ("40|forty", "pence|p")),
        ("She gave me a $2 million cheque.", ("2 million|two million", "dollar|dollars")),
    ),
    (
        ("The train left at 7:05 p.m. sharp.", ("7 05|705|seven oh five", "pm|p m")),
        ("Come at 5 o’clock, not at 6:30.", ("5|five", "not", "6 30|630|six thirty")),
        ("It opens at 9:00 a.m.", ("9|nine", "am|a m")),
        ("We waited from 10:15 till 10:45.", ("10 15|1015|ten fifteen", "10 45|1045|ten forty five")),
        ("At noon, 12:00, the bell rang.", ("noon", "12|twelve")),
    ),
    (
        ("It ran 5 km at 70 mph.", ("5|five", "kilometers|kilometres|km", "70|seventy", "miles|mph")),
        ("It was -5 °C outside.", ("minus|negative", "5|five", "celsius|c")),
        ("Mix 1/2 cup of milk with 3/4 cup of flour.", ("half", "3 4|three quarters|34")),
        ("The board is 6 ft. 2 in. long.", ("6|six", "2|two")),
        ("About 12.5 % of them said no.", ("12 5|twelve point five|125", "percent|per cent", "no|know")),
    ),
    (
        ("Call 555-0199 today.", ("555|five five five", "0199|oh one nine nine|199|01 99|zero one nine nine")),
        ("Room 12B is on the 3rd floor.", ("12b|twelve b|12 b", "3rd|third")),
        ("The A380 is larger than a B-52.", ("a380|a three eighty|a 380", "b52|b fifty two|b 52")),
        ("On the 21st he wrote 1,234 words.", ("21st|twenty first", "1234|one thousand two hundred")),
        ("Write to anna@mail.com at once.", ("anna|ana|hannah", "mail|male", "com|dot com")),
    ),
    (
        ("THE OLD MAN SAT DOWN AT NOON.", ("old man sat down", "noon")),
        ("“STOP! I WILL NOT GO IN,” HE CRIED.", ("stop", "will not", "cried")),
        ("The F.B.I. and NASA said nothing.", ("fbi|f b i", "nasa", "nothing")),
        ("He lived in the U.S. until May.", ("us|u s|united states", "may")),
        ("I read it yesterday; I will read it again.", ("red|read", "read|reed")),
    ),
    (
        ("Queequeg carved; Ishmael could not.", ("queequeg|queeg|quequeg|queaqueg|quiqueg|quick", "could not")),
        ("Mrs. Featherstonehaugh did not answer.", ("did not",)),
        ("Siegfried and Brünnhilde never met there.", ("siegfried|sigfried|seigfried", "never")),
        ("Æthelred the Unready wasn’t ready.", ("unready|on ready|and ready", "wasnt|was not")),
        ("Eleanor of Aquitaine outlived Richard.", ("eleanor|elinor|elenor", "aquitaine|aquitane", "richard")),
    ),
    (
        ("’Twas the night, an’ nobody was goin’ out.", ("twas|it was|was", "nobody", "going|goin|gon")),
        ("“W-what? N-no, I never did!”", ("what", "no", "never")),
        ("Give ’em back, or I’ll tell o’ the lads.", ("em|them|given", "ill|i will", "lads|lad")),
        ("He said, ‘Don’t!’ and left.", ("dont|do not", "left")),
        ("She’d’ve come if she’d known.", ("come", "known")),
    ),
    (
        ("The lead pipe will lead the water down.", ("lead|led", "pipe", "water")),
        ("He made a low bow and hung up his bow.", ("low", "bow|bough|bau")),
        ("Close the door and stay close.", ("close", "door", "stay")),
        ("A tear fell; do not tear the page.", ("tear|tier", "not", "page")),
        ("No. I said no, and I meant none of it.", ("no", "meant", "none|non")),
    ),
)  # fmt: skip
