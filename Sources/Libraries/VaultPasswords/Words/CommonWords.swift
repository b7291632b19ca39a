/// The most common words and names of texts, most frequent first.
///
/// From zxcvbn 4.5.0 (Daniel Wolf's Python port of Dan Wheeler's), MIT; THIRD-PARTY-NOTICES.md has
/// the notice.
enum CommonWords {
  static let text: StaticString = """
    the you and that was for what this know with i'm have from don't his just not were are which
    your doc https it's also but has all had well first one about their right its you're after get
    new here who out they going two like her yeah she been can other when want time think during
    that's there now into school him more how may got years did over why only see year come most
    good would really world look city will some okay where back between can't later mean three
    tell state i'll such hey then he's national could used didn't made yes known something under
    because many say university take united way while little part make season need team gonna
    these never american we're than too film she's second i've born sure south our became sorry
    states what's war let through thing being maybe including down both man before very north
    there's high should however anything people said family much early any history even album off
    area please them doing series thank against give until thought since help district talk county
    god name still work wait life find group nothing music again following things number let's
    company doesn't several call four told called great played better released ever career night
    league away game believe government feel house everything each you've based fine day last same
    keep won does use put station around club stop international they're town i'd located guy
    population isn't general always college listen east wanted found guys age huh march those end
    big september lot began happened home thanks public won't church trying line kind june wrong
    river talking member guess system care place bad century mom band remember july getting york
    we'll january together october dad song leave august understand best wouldn't former actually
    british hear party baby named nice held father village else show stay local done november
    wasn't took course service might december mind built every another enough major try within
    hell along came members someone five you'll single whole due yourself although idea small ask
    old must left coming final looking large woman include room building knew served tonight
    president real received son games hope death went february hmm main happy third pretty set saw
    children girl own sir order friend species already park saying law next air job published
    problem road minute died thinking book haven't men heard women honey army matter often myself
    according couldn't education exactly central having country probably division happen english
    we've top hurt included boy development dead french gotta community alone among excuse water
    start play kill side hard list you'd times today near car late ready form without original
    wants different hold center wanna power yet led seen students deal german once moved gone
    court morning six supposed land friends council head island stuff u.s. worry record live
    million truth research face art forget established true award cause street soon military knows
    television telling given wife region who's support chance western run production move non
    anyone political person point bye cup somebody period heart business miss title making started
    meet various anyway election phone using reason england damn role lost produced looks become
    bring program case works turn field wish total tomorrow office kids class trust written check
    association change radio anymore union least level aren't championship working director makes
    few taking force means created brother department hate founded ago services says married
    beautiful though gave per fact n't crazy site sit open afraid act important short rest society
    fun version kid royal word present watch northern glad worked everyone professional sister
    full minutes returned everybody joined bit story couple france whoa european either currently
    mrs language feeling social daughter california wow india gets days asked design break st.
    promise further door round close australia hand wrote easy san question project tried control
    far southern walk railway needs board mine popular killed continued hospital free anybody
    battle alright considered wedding video shut common able position die living perfect half
    stand playing comes recorded hit red waiting post dinner described funny average husband
    records almost special pay modern answer appeared cool announced eyes areas news rock child
    release shouldn't elected yours others moment example sleep term read opened where's similar
    sounds formed sonny route pick census sometimes current bed schools date originally plan lake
    hours developed lose race hands himself serious forces shit addition behind information inside
    upon ahead province week match wonderful event fight songs past result cut events quite win
    he'll eastern sick track it'll lead eat teams nobody science goes human save construction
    seems minister finally germany lives awards worried available upset throughout carly training
    met style brought body seem museum sort australian safe health weren't seven leaving signed
    front chief shot eventually loved appointed asking sea running centre clear debut figure tour
    hot points felt media parents light drink range absolutely character how's across daddy
    features sweet families alive largest sense indian meant network happens less bet performance
    blood players ain't refer kidding europe lie sold meeting festival dear usually seeing taken
    sound despite fault designed ten committee buy process hour return speak official lady episode
    jen institute thinks stage christmas followed outside performed hang japanese possible
    personal worse thus mistake arts ooh space handle low spend months totally includes giving
    china here's study marriage middle realize magazine unless leading sex japan send groups
    needed aircraft scared featured picture federal talked civil ass rights hundred model changed
    coach completely canadian explain books certainly remained sign eight boys type relationship
    independent loves completed hair capital lying academy choice instead anywhere kingdom future
    organization weird countries luck studies she'll competition turned sports touch size kiss
    above crane section questions finished obviously gold wonder involved pain reported calling
    management somewhere systems throw industry straight directed cold market fast fourth words
    movement food technology none bank drive ground feelings campaign they'll base marry lower
    drop sent cannot rather dream added protect provided twenty coast surprise grand sweetheart
    historic poor valley looked conference mad bridge except winning gun approximately y'know
    films dance chinese takes awarded appreciate degree especially russian situation shows besides
    native pull female hasn't replaced worth municipality sheridan square amazing studio expect
    medical swear data piece african busy successful happening mid movie bay we'd attack catch
    previous perhaps operations step spanish fall theatre watching student kept republic darling
    beginning dog provide honor ship moving primary till owned admit writing problems tournament
    murder culture he'd introduced evil texas definitely related feels natural honest parts eye
    governor broke reached missed ireland longer units dollars senior tired decided evening
    italian starting whose entire higher trip africa niles standard suppose income calm professor
    imagine placed fair regional caught los blame buildings sitting championships favor active
    apartment novel terrible energy clean generally learn interest frasier via relax economic
    accident previously wake stated prove itself smart channel message below missing operation
    forgot leader interested traditional table trade nbsp structure mouth limited pregnant runs
    ring prior careful regular shall famous dude saint ride navy figured foreign wear listed shoot
    artist stick catholic follow airport angry results write parliament stopped collection ran
    unit standing officer forgive goal jail attended wearing command ladies staff kinda commission
    lunch lived cristian location greenlee plays gotten commercial hoping places phoebe foundation
    thousand significant ridge older paper medal tough self tape scored count companies boyfriend
    highway proud activities agree programs birthday wide they've musical share notable offer
    library hurry numerous feet paris wondering towards decision individual ones allowed finish
    plant voice property herself annual would've contract mess whom deserve highest evidence
    initially cute required dress earlier interesting assembly hotel artists enjoy rural quiet
    seat concerned practice staying defeated beat ended sweetie soviet mention length clothes
    spent fell manager neither press mmm associated fix author respect issues prison additional
    attention characters holding lord calls zealand surprised policy bar engine keeping township
    gift noted hadn't historical putting complete dark financial owe religious ice mission helping
    contains normal nine aunt recent lawyer represented apart pennsylvania plans administration
    jax opening girlfriend secretary floor lines whether report everything's executive box youth
    judge closed upstairs theory sake writer mommy italy possibly angeles worst appearance acting
    feature accept queen blow launched strange legal saved terms conversation entered plane issue
    mama edition yesterday singer lied greek quick majority lately background stuck source
    difference anti store cultural she'd complex bought changes doubt recording listening stadium
    walking islands cops operated deep particularly dangerous basketball buffy month sleeping uses
    chloe port rafe castle join mostly card names crime fort gentlemen selected willing increased
    window status walked earth guilty subsequently likes pacific fighting cover difficult variety
    soul certain joke goals favorite remains uncle upper promised congress bother becoming
    seriously studied cell irish knowing nature broken particular advice loss somehow caused paid
    chart losing dr. push forced helped create killing era boss retired liked material innocent
    review rules rate learned singles thirty referred risk larger letting individuals speaking
    shown ridiculous provides afternoon products apologize speed nervous democratic charge poland
    patient parish boat olympics how'd cities hide themselves detective temple planning wing huge
    genus breakfast households horrible serving awful cost pleasure wales driving stations hanging
    passed picked supported sell view quit cases apparently forms dying actor notice male
    congratulations matches visit males could've stars c'mon tracks letter females decide
    administrative forward median fool effect showed biography smell train seemed engineering
    spell camp memory offered pictures chairman slow houses seconds mainly hungry 19th hearing
    surface kitchen therefore ma'am nearly should've score realized ancient kick subject grab
    prime discuss seasons fifty claimed reading experience idiot specific suddenly jewish agent
    failed destroy overall bucks believed shoes plot peace troops arms greater demon spain livvie
    consists consider broadcast papers heavy incredible increase witch raised drunk separate
    attorney campus tells 1980s knock appears ways presented gives lies nose composed skye
    recently turns influence keeps fifth jealous nations drug creek sooner references cares
    elections plenty britain extra double outta cast weekend meaning matters earned gosh carried
    opportunity producer impossible latter waste housing pretend brothers jump attempt eating
    article proof response slept border arrest remaining breathe nearby perfectly direct warm
    ships pulled value twice workers easier politician goin academic dating label suit 1970s
    romantic commander drugs rule comfortable fellow finds residents checked authority divorce
    editor begin transport ourselves dutch closer projects ruin responsible smile covered laugh
    territory treat flight fear races what'd defense otherwise tower excited emperor mail albums
    hiding facilities stole daily pacey stories noticed assistant fired managed excellent
    primarily bringing quality bottom function note proposed sudden distribution bathroom
    conditions honestly prize sing journal foot code remind vice charges newspaper witness corps
    finding highly tree constructed dare mayor hardly critical that'll secondary steal corporation
    silly rugby contact regiment teach ohio shop appearances plus serve colonel allow fresh nation
    trial multiple invited discovered roll directly reach scene dirty levels choose growth
    emergency elements dropped acquired butt 1990s credit officers obvious physical locked 20th
    loving latin nuts host agreed jersey prue graduated goodbye arrived condition issued guard
    literature fuckin metal grow estate cake vote mood immediately crap quickly crying asian
    belong competed partner extended trick produce pressure urban dressed 1960s taste promoted
    neck contemporary nurse global raise formerly lots appear carry industrial whoever types
    drinking opera they'd ministry breaking soldiers file commonly lock mass wine formation spot
    smaller paying typically assume drama asleep shortly turning density viki senate bedroom
    effects shower iran nikolas polish camera prominent fill naval reasons settlement forty
    divided bigger basis nope republican breath languages doctors distance pants treatment freak
    continue movies product folks mile cream sources wild footballer truly format desk clubs
    convince leadership client initial threw offers hurts operating spending avenue answers
    officially shirt columbia chair grade rough squadron doin fleet sees percent ought farm empty
    leaders wind agreement aware likely dealing equipment pack website tight mount hurting grew
    guest method arrested transferred salem intended confused renamed surgery iron expecting asia
    deacon reserve unfortunately capacity goddamn politics bottle widely beyond activity whenever
    advanced pool relations opinion scottish starts dedicated jerk crew secrets founder falling
    episodes necessary lack barely amount dancing build tests efforts copy concept cousin follows
    ahem ordered twelve leaves tess positive skin economy fifteen entertainment speech affairs
    orders memorial complicated ability nowhere illinois escape communities biggest color
    restaurant text grateful railroad usual scientific burn focus address comedy someplace serves
    screw exchange everywhere environment regret cars goodness direction mistakes organized
    details firm responsibility description suspect agency corner analysis hero purpose dumb
    destroyed terrific reception whoo planned hole revealed memories infantry o'clock architecture
    teeth growing ruined featuring bite household stenbeck candidate liar removed showing situated
    cards models desperate knowledge search solo pathetic technical spoke organizations scare
    assigned marah conducted afford participated settle largely stayed purchased checking register
    hired gained heads combined concern headquarters blew adopted alcazar potential champagne
    protection connection scale tickets approach happiness spread saving independence kissing
    mountains hated titled personally geography suggest applied prepared safety onto mixed
    downstairs accepted ticket continues it'd captured loose rail holy defeat duty principal
    convinced recognized throwing lieutenant kissed mentioned legs semi loud owner saturday joint
    babies liberal where'd actress warning traffic miracle creation carrying basic blind notes
    ugly unique shopping supreme hates declared sight simply bride plants coat sales clearly
    massachusetts celebrate designated brilliant parties wanting jazz forrester compared lips
    becomes custody resources screwed titles buying concert toast learning thoughts remain reality
    teaching lexie versions attitude content advantage alongside grandfather revolution sami sons
    grandma block someday premier roof impact marrying champions powerful districts grown
    generation grandmother estimated fake volume must've image ideas sites exciting account
    familiar roles bomb sport bout quarter harmony providing schedule zone capable yard
    practically scoring correct classes clue presence forgotten performances appointment
    representatives deserves hosted threat split bloody taught lonely origin shame olympic jacket
    claims hook critics scary facility investigation occurred invite suffered shooting municipal
    lesson damage criminal defined victim resulted funeral respectively considering expanded
    burning platform strength draft harder opposition sisters expected pushed educational shock
    ontario pushing climate heat reports chocolate atlantic miserable surrounding corinthos
    performing nightmare reduced brings ranked zander allows crash birth chances nominated sending
    younger recognize newly healthy kong boring positions feed theater engaged philadelphia headed
    heritage treated finals knife disease drag sixth badly laws hire reviews paint constitution
    pardon tradition behavior swedish closet theme warn fiction gorgeous rome milk medicine
    survive trains ends resulting dump existing rent deputy remembered environmental thanksgiving
    labour rain classical revenge develop prefer fans spare granted pray receive disappeared
    alternative aside begins statement nuclear sometime fame meat buried fantastic connected
    breathing identified laughing palace stood falls affair letters ours combat depends sciences
    protecting effort jury villages brave inspired fingers regions murdered towns explanation
    conservative picking chosen blah animals stronger labor handsome attacks unbelievable
    materials anytime yards shake steel oakdale representative wherever orchestra pulling peak
    facts entitled waited officials lousy returning circumstances reference disappointed northwest
    weak imperial trusted convention license examples nothin ocean trash publication understanding
    painting slip subsequent sounded frequently awake religion friendship brigade stomach fully
    weapon sides threatened acts mystery cemetery vegas relatively understood oldest basically
    suggested switch succeeded frankly achieved cheap application lifetime programme deny cells
    clock votes garbage promotion why'd graduate tear armed ears supply indeed flying changing
    communist singing figures tiny literary decent netherlands avoid korea messed worldwide filled
    citizens touched 1950s disappear faculty exact draw pills stock kicked seats harm occupied
    fortune methods pretending unknown insurance articles fancy claim drove holds cared
    authorities belongs audience nights sweden lorelai interview lift obtained timing covers
    guarantee settled chest transfer woke marked burned allowing watched funding heading challenge
    selfish southeast drinks unlike doll crown committed rise elevator portion freeze
    transportation noise sector wasting phase ceremony properties uncomfortable edge staring
    tropical files standards bike institutions stress philosophy permission legislative thrown
    hills possibility brand borrow fund fabulous conflict doors unable screaming founding bone
    refused xander attempts what're metres meal permanent apology starring anger applications
    honeymoon creating bail effective parking aired fixed extensive wash employed stolen enemy
    sensitive expansion stealing billboard photo rank chose battalion lets multi comfort vehicle
    worrying fought pocket alliance mateo category bleeding perform shoulder federation ignore
    poetry talent bronze tied bands garage entry dies vehicles demons bureau dumped maximum
    witches billion rude trees crack intelligence bothering greatest radar screen soft refers
    meantime commissioned gimme gallery kinds injury fate confirmed concentrate setting throat
    treaty prom adult messages americans intend broadcasting ashamed supporting somethin pilot
    manage mobile guilt writers interrupt programming guts existence tongue squad shoe minnesota
    basement copies sentence korean purse provincial glasses sets cabin defence universe offices
    repeat agricultural mirror internal wound core travers northeast tall retirement engagement
    factory therapy actions emotional prevent jeez communications decisions ending soup weekly
    thrilled containing stake functions chef attempted moves interior extremely weight moments
    bowl expensive recognition counting incorporated shots increasing kidnapped ultimately
    cleaning documentary shift derived plate attacked impressed lyrics smells mexican trapped
    external aidan churches knocked centuries charming metropolitan attractive selling argue
    opposed puts personnel whip mill embarrassed visited package presidential hitting roads bust
    pieces stairs norwegian alarm controlled pure 18th nail rear nerve influenced incredibly
    wrestling walks weapons dirt launch stamp composer terribly locations friendly developing
    damned circuit jobs specifically suffering studios disgusting shared stopping canal deliver
    wisconsin riding publishing helps approved disaster domestic bars consisted crossed determined
    trap comic talks establishment eggs exhibition chick southwest threatening fuel spoken
    electronic introduce cape confession converted embarrassing educated bags melbourne impression
    hits gate wins reputation producing presents norway chat slightly suffer occur argument
    surname talkin identity crowd represent homework constituency coincidence funds cancel proved
    pride links solve structures hopefully athletic pounds birds pine contest mate users illegal
    poet generous institution outfit display maid receiving bath rare punch contained freaked guns
    begging motion recall piano enjoying temperature prepare publications wheel passenger defend
    contributed signs toward painful cathedral yourselves inhabitants maris architect that'd exist
    suspicious athletics cooking muslim button courses warned abandoned sixty signal pity
    successfully yelling disambiguation awhile tennessee confidence dynasty offering heavily
    pleased maryland panic jews hers representing gettin budget refuse weather grandpa missouri
    testify introduction choices faced cruel pair mental chapel gentleman reform coma height
    cutting vietnam proteus occurs guests motor expert cambridge benefit lands faces focused
    jumped sought toilet patients sneak shape halloween invasion privacy chemical smoking
    importance reminds communication twins selection swing regarding solid homes options
    voivodeship commitment maintained crush borough ambulance failure wallet aged gang passing
    eleven agriculture option oregon laundry teachers assure flow stays philippines skip trail
    fail seventh discussion portuguese clinic resistance betrayed reaching sticking negative bored
    fashion mansion scheduled soda downtown sheriff universities suite trained handled skills
    busted scenes load views happier notably studying typical romance incident procedure
    candidates commit engines assignment decades suicide composition minds commune swim chain yell
    inc. llanview austria chasing sale proper values believes employees humor chamber hopes
    regarded lawyers winners giant registered latest task escaped investment parent colonial
    tricks swiss insist user dropping entirely cheer flag medication stores flesh closely routine
    entrance sandwich laid handed journalist false coal beating equal warrant causes awfully
    turkish odds quebec treating techniques thin promote suggesting junction fever easily sweat
    dates silent kentucky clever singapore sweater residence mall violence sharing advance
    assuming survey judgment humans goodnight expressed divorced passes surely streets steps
    distinguished confess qualified math folk listened establish comin egypt answered artillery
    vulnerable visual bless improved dreaming actual chip finishing zero medium pissed protein
    nate switzerland kills productions tears operate knees poverty chill neighborhood brains
    organisation unusual consisting packed consecutive dreamed sections cure partnership lookin
    extension grave reaction cheating factor breaks costs locker bodies gifts device awkward
    ethnic thursday racial joking flat reasonable objects dozen chapter curse improve quartermaine
    musicians millions courts dessert controversy rolling membership detail merged alien wars
    delicious expedition closing interests vampires arab wore comics tail gain secure describes
    salad mining murderer bachelor spit crisis offense joining dust decade conscience 1930s bread
    distributed answering habitat lame routes invitation arena grief cycle smiling divisions
    pregnancy briefly prisoner vocals delivery directors guards degrees virus object shrink
    recordings freezing installed wreck adjacent massimo demand wire voted technically causing
    blown businesses anxious ruled cave grounds holidays starred cleared drawn wishes opposite
    caring stands candles formal bound operates charm persons pulse counties jumping compete jokes
    wave boom israeli occasion ncaa silence resigned nonsense brief frightened greece slipped
    combination dimera demographics blowing historian relationships contain kidnapping
    commonwealth spin musician tool collected roxy argued packing louisiana blaming session wrap
    cabinet obsessed parliamentary fruit electoral torture loan personality profit there'll
    regularly fairy conservation necessarily islamic seventy purchase print 17th motel charts
    underwear residential grams earliest exhausted designs believing paintings freaking survived
    carefully moth trace items touching goods messing grey recovery anniversary intention
    criticism consequences images belt discovery sacrifice observed courage underground enjoyed
    progress attracted additionally remove participate testimony thousands intense reduce heal
    elementary defending owners unfair stating relieved iraq loyal resolution slowly capture buzz
    tank alcohol rooms surprises hollywood psychiatrist finance plain queensland attic reign who'd
    maintain uniform iowa terrified landing cleaned broad zach outstanding threaten circle fella
    path enemies manufacturing satisfied assistance imagination sequence hooked gmina headache
    crossing forgetting leads counselor universal andie shaped acted kings badge attached
    naturally medieval frozen ages sakes metro appropriate colony trunk affected dunno scholars
    costume oklahoma sixteen coastal impressive soundtrack kicking painted junk attend grabbed
    definition understands meanwhile describe purposes clients trophy owns require affect
    marketing witnesses popularity starving cable instincts mathematics happily mississippi
    discussing represents deserved scheme strangers appeal surveillance distinct admire factors
    questioning acid dragged subjects barn roughly deeply terminal wrapped economics wasted
    senator tense diocese hoped prix fellas contrast roommate argentina mortal czech fascinating
    wings stops relief arrangements stages agenda duties literally 16th propose novels honesty
    accused underneath whilst sauce equivalent promises charged lecture measure eighty documents
    torn couples shocked request backup danish differently defensive ninety guide deck devices
    biological statistics pheebs credited ease tries creep passengers waitress allied telephone
    frame ripped puerto raising peninsula scratch concluded rings instruments prints wounded thee
    differences arguing associate ephram forests asks afterwards oops replace diner requirements
    annoying aviation taggert solution sergeant offensive blast ownership towel inner clown
    legislation habit hungarian creature contributions bermuda actors snap translated react
    denmark paranoid steam handling depending eaten aspects therapist assumed comment injured sink
    severe reporter admitted nurses determine beats shore priority technique interrupting arrival
    warehouse measures loyalty translation inspector debuted pleasant delivered excuses returns
    threats rejected guessing separated tend visitors praying damaged motive storage unconscious
    accompanied mysterious markets unhappy industries tone losses switched gulf rappaport charter
    sookie strategy neighbor corporate loaded socialist swore somewhat piss significantly balance
    physics toss mounted misery satellite thief experienced squeeze constant lobby relative
    goa'uld pattern geez restored exercise belgium forth connecticut booked partners sandburg
    harvard poker retained eighteen networks d'you protected bury mode everyday artistic digging
    parallel creepy collaboration wondered debate liver involving hmmm journey magical linked fits
    salt discussed authors moral components helpful context searching occupation flew requires
    depressed occasionally aisle policies cris tamil amen ottoman vows revolutionary neighbors
    hungary darn poem cents versus arrange gardens annulment amongst useless audio adventure
    makeup resist frequency fourteen meters celebrating orthodox inch continuing debt suggests
    violent legislature sand coalition teal'c guitarist celebration eighth reminded classification
    phones practices paperwork soil emotions tokyo stubborn instance pound limit tension coverage
    stroke considerable steady ranking overnight colleges chips cavalry beef centers suits
    daughters boxes twin cassadine equipped collect broadway tragedy narrow spoil hosts realm
    rates wipe domain surgeon boundary stretch arranged stepped 12th nephew whereas neat brazilian
    limo forming confident rating perspective strategic climb competitions punishment trading
    finest covering springfield baltimore hint commissioner furniture infrastructure blanket
    origins twist replacement proceed praised fries disc worries collections niece expression
    gloves ukraine soap driven signature edited disappoint austrian crawl solar convicted ensure
    flip premiered counsel successor doubts wooden crimes operational accusing hispanic shaking
    concerns remembering rapid hallway prisoners halfway childhood bothered meets madam
    influential gather tunnel cameras employment blackmail tribe symptoms qualifying rope adapted
    ordinary temporary imagined celebrated cigarette appearing supportive increasingly explosion
    depression trauma adults ouch cinema furious entering cheat laboratory avoiding script whew
    flows thick romania oooh accounts boarding fictional approve pittsburgh urgent achieve shhh
    monastery misunderstanding franchise drawer formally phony tools interfere newspapers catching
    revival bargain sponsored tragic processes respond vienna punish springs penthouse missions
    thou classified rach 13th ohhh annually insult branches bugs lakes beside gender begged manner
    absolute advertising strictly normally socks maintenance senses adding sneaking
    characteristics reward integrated polite decline checks modified tale strongly physically
    critic instructions victims fooled malaysia blows arkansas tabby nazi bitter restoration
    adorable powered y'all monument tested hundreds suggestion depth jewelry 15th alike
    controversial jacks admiral distracted criticized shelter brick lessons honorary constable
    initiative circus output audition visiting tune birmingham shoulders progressive mask existed
    helpless carbon feeding 1920s explains credits sucked colour robbery rising objection hence
    behave defeating valuable superior shadows filmed courtroom listing confusing column talented
    surrounded smarter orleans mistaken principles customer territories bizarre struck scaring
    participation motherfucker indonesia alert movements vecchio index reverend commerce foolish
    conduct compliment constitutional bastards spiritual worker ambassador wheelchair vocal
    protective completion gentle edinburgh reverse residing picnic tourism knee finland cage bears
    wives medals wednesday resident voices themes toes visible stink indigenous scares involvement
    pour basin cheated electrical slide ukrainian ruining concerts filling boats exit styles
    cottage processing upside rival proves drawing parked vessels diary experimental complaining
    declined confessed touring pipe supporters merely compilation massage coaching chop cited
    spill dated prayer roots betray string waiter explained scam transit rats traditionally fraud
    poems brush minimum tables representation sympathy 14th pill releases filthy effectively
    seventeen architectural employee triple bracelet indicated pays greatly fairly elevation
    deeper clinical arrive printed tracking 10th spite proposal shed peaked recommend producers
    oughta romanized nanny rapidly menu stream diet innings corn meetings roses counter patch
    householder dime honour devastated lasted subtle agencies bullets document beans exists pile
    surviving confirm experiences strings honors parade landscape borrowed hurricane toys harbor
    straighten panel steak competing premonition profile planted vessel honored farmers exam lists
    convenient revenue traveling exception laying customers insisted 11th dish participants aitoro
    wildlife kindly utah grandson bible donor gradually temper preserved teenager replacing proven
    symphony mothers begun denial longest backwards siege tent provinces swell mechanical noon
    genre happiest transmission drives agents thinkin executed spirits videos potion benefits
    holes funded fence rated whatsoever instrumental rehearsal ninth overheard similarly lemme
    dominated hostage destruction bench passage tryin technologies taxi thereafter shove outer
    moron facing impress affiliated needle opportunities intelligent instrument instant
    governments disagree scholar stinks evolution rianna channels recover shares groom sessions
    gesture widespread constantly occasions bartender engineers suspects scientists sealed signing
    legally battery hears competitive dresses alleged sheet eliminated psychic supplies teenage
    judges knocking hampshire judging regime accidentally portrayed waking penalty rumor taiwan
    manners denied homeless submarine hollow scholarship desperately substantial tapes transition
    referring victorian item http genoa nevertheless gear filed majesty supports cried continental
    tons tribes spells ratio instinct doubles quote useful motorcycle honours convincing blocks
    fashioned principle aids retail accomplished departure grip ranks bump patrol upsetting
    yorkshire needing vancouver invisible inter forgiveness extent feds afghanistan compare strip
    bothers railways tooth component inviting organ earn symbol compromise categories cocktail
    encouraged tramp abroad jabot civilian intimate periods dignity traveled dealt writes souls
    struggle informed immediate gods recommended dressing adaptation cigarettes egyptian alistair
    graduating leak assault fond drums corky nomination seduce historically liquor voting
    fingerprints allies enchantment detailed butters achievement stuffed percentage stavros arabic
    emotionally assist transplant frequent tips toured oxygen apply nicely and/or lunatic
    intersection drill maine complain touchdown announcement throne unfortunate produces slap
    contribution prayers emerged plug obtain opens archbishop oath seek o'neill researchers mutual
    remainder yacht populations remembers clan fried finnish extraordinary overseas bait fifa
    warton licensed sworn chemistry stare festivals safely mediterranean reunion injuries burst
    animated might've seeking dive publisher aboard volumes expose limits buddies venue trusting
    jerusalem booze generated sweep trials sore islam scudder youngest properly ruling parole
    glasgow ditch germans canceled songwriter speaks persian glow municipalities wears donated
    thirsty viewed skull belgian ringing cooperation dorm posted dining tech bend dual unexpected
    volunteer pancakes settlers harsh commanded flattered claiming ahhh approval troubles delhi
    fights usage favourite terminus eats partly rage electricity undercover locally spoiled
    editions sloane premiere shine absence destroying belief deliberately traditions conspiracy
    statue thoughtful indicate sandwiches manor plates stable nails attributed miracles possession
    fridge managing drank viewers contrary chile beloved overview allergic seed washed regulations
    stalking essential solved minority sack cargo misses segment forgiven endemic bent forum
    maciver deaths involve monthly dragging playoffs cooked erected pointing practical foul
    machines dull suburb beneath relation heels mrs. faking descent deaf indoor stunt continuous
    jealousy characterized hopeless solutions fears caribbean cuts rebuilt scenario serbian
    necklace summary crashed contested accuse psychology restraining pitch homicide attending
    helicopter muhammad firing tenure safer drivers auction diameter videotape assets tore venture
    reservations punk pops airlines appetite concentration wounds athletes vanquish volunteers
    ironic pages fathers mines excitement influences anyhow sculpture tearing protest sends ferry
    rape behalf laughed drafted belly apparent dealer furthermore cooperate ranging accomplish
    romanian wakes democracy spotted lanka sorts significance reservation linear ashes d.c. tastes
    certified supposedly voters loft recovered intentions tours integrity demolished wished
    boundaries towels assisted suspected identify investigating grades inappropriate elsewhere
    lipstick mechanism lawn 1940s compassion reportedly cafeteria aimed scarf conversion precisely
    suspended obsession photography loses departments lighten beijing infection locomotives
    granddaughter publicly explode dispute balcony magazines this'll resort spying conventional
    publicity platforms depend internationally cracked capita conscious settlements ally dramatic
    absurd derby vicious establishing invented involves forbid statistical directions
    implementation defendant immigrants bare exposed announce diverse screwing layer salesman vast
    robbed ceased leap connections lakeview belonged insanity interstate reveal uefa possibilities
    organised kidnap abuse gown deployed chairs cattle wishing partially setup filming punished
    mainstream criminals reduction regrets automatic raped rarely quarters subsidiary lamp decides
    dentist merger anyways comprehensive anonymous displayed semester amendment risks guinea owes
    exclusively lungs manhattan explaining concerning delicate commons tricked radical eager
    serbia doomed baptist adoption buses stab initiated sickness portrait scum harbour floating
    choir envelope citizen vault sole sorel unsuccessful pretended manufactured potatoes
    enforcement plea connecting photograph increases payback patterns misunderstood sacred kiddo
    muslims healing clothing cascade hindu capeside unincorporated stabbed sentenced remarkable
    advisory brat tanks privilege campaigns passionate fled nerves repeated lawsuit remote kidney
    rebellion disturbed implemented cozy texts tire fitted shirts tribute oven writings ordering
    sufficient delay ministers risky 21st monsters devoted honorable jurisdiction grounded coaches
    closest interpretation breakdown pole bald businessman abandon peru scar sporting collar
    prices worthless cuba sucking relocated enormous opponent disturbing arrangement disturb elite
    distract manufacturer deals responded conclusions suitable vodka distinction dishes calendar
    crawling dominant briefcase tourist wiped earning whistle prefecture sits ties roast
    preparation rented anglo pigs pursue flirting worship deposit archaeological bottles
    chancellor topic bangladesh riot scores overreacting traded logical lowest hostile horror
    embarrass outdoor casual biology beacon commented amusing specialized altar loop claus
    arriving survival farming skirt housed shave historians porch 'the ghosts patent favors pupils
    drops christianity dizzy opponents chili athens advise northwestern strikes maps rehab
    promoting photographer reveals peaceful flights leery exclusive heavens lions fortunately
    norfolk fooling hebrew expectations extensively cigar eldest weakness shops ranch acquisition
    practicing virtual examine renowned cranes margin bribe ongoing sail essentially prescription
    iranian hush alternate fragile sailed forensics reporting expense conclusion drugged
    originated cows temperatures bells exposure visitor secured suitcase landed sorta rifle scan
    framework manticore identical insecure martial imagining focuses hardest topics clerk ballet
    wrist fighters what'll belonging starters wealthy silk negotiations pump evolved pale bases
    nicer oriented haul acres flies democrat boot heights thumb restricted there'd vary how're
    graduation elders aftermath quietly chess pulls illness idiots participating erase vertical
    denying collective ankle immigration amnesia demonstrated accepting leaf heartbeat completing
    devane organic confront missile minus leeds legitimate eligible fixing james john robert
    michael william david richard charles joseph thomas christopher daniel paul mark donald george
    kenneth steven edward brian ronald anthony kevin jason matthew gary timothy jose larry jeffrey
    frank scott eric stephen andrew raymond gregory joshua jerry dennis walter patrick peter
    harold douglas henry carl arthur ryan roger joe juan jack albert jonathan justin terry gerald
    keith samuel willie ralph lawrence nicholas roy benjamin bruce brandon adam harry fred wayne
    billy steve louis jeremy aaron randy eugene carlos russell bobby victor ernest phillip todd
    jesse craig alan shawn clarence sean philip chris johnny earl jimmy antonio danny bryan tony
    luis mike stanley leonard nathan dale manuel rodney curtis norman marvin vincent glenn jeffery
    travis jeff chad jacob melvin alfred kyle francis bradley jesus herbert frederick ray joel
    edwin don eddie ricky troy randall barry bernard mario leroy francisco marcus micheal theodore
    clifford miguel oscar jay jim tom calvin alex jon ronnie bill lloyd tommy leon derek darrell
    jerome floyd leo alvin tim wesley dean greg jorge dustin pedro derrick dan zachary corey
    herman maurice vernon roberto clyde glen hector shane ricardo sam rick lester brent ramon
    tyler gilbert gene marc reginald ruben brett nathaniel rafael edgar milton raul ben cecil
    duane andre elmer brad gabriel ron roland jared adrian karl cory claude erik darryl neil
    christian javier fernando clinton ted mathew tyrone darren lonnie lance cody julio kurt allan
    clayton hugh max dwayne dwight armando felix jimmie everett ian ken bob jaime casey alfredo
    alberto dave ivan johnnie sidney byron julian isaac clifton willard daryl virgil andy salvador
    kirk sergio seth kent terrance rene eduardo terrence enrique freddie stuart fredrick arturo
    alejandro joey nick luther wendell jeremiah evan julius donnie otis trevor luke homer gerard
    doug kenny hubert angelo shaun lyle matt alfonso orlando rex carlton ernesto pablo lorenzo
    omar wilbur blake horace roderick kerry abraham rickey ira andres cesar johnathan malcolm
    rudolph damon kelvin rudy preston alton archie marco pete randolph garry geoffrey jonathon
    felipe bennie gerardo dominic loren delbert colin guillermo earnest benny noel rodolfo myron
    edmund salvatore cedric lowell gregg sherman devin sylvester roosevelt israel jermaine forrest
    wilbert leland simon irving owen rufus woodrow sammy kristopher levi marcos gustavo jake
    lionel marty gilberto clint nicolas laurence ismael orville drew ervin dewey wilfred josh hugo
    ignacio caleb tomas sheldon erick frankie darrel rogelio terence alonzo elias bert elbert
    ramiro conrad noah grady phil cornelius lamar rolando clay percy bradford merle darin amos
    terrell moses irvin saul roman darnell randal tommie timmy darrin brendan toby van abel
    dominick emilio elijah cary domingo aubrey emmett marlon emanuel jerald edmond emil dewayne
    otto teddy reynaldo bret jess trent humberto emmanuel stephan louie vicente lamont garland
    micah efrain heath rodger demetrius ethan eldon rocky pierre eli bryce antoine robbie kendall
    royce sterling grover elton cleveland dylan chuck damian reuben stan leonardo russel erwin
    benito hans monte blaine ernie curt quentin agustin jamal devon adolfo tyson wilfredo bart
    jarrod vance denis damien joaquin harlan desmond elliot darwin gregorio kermit roscoe esteban
    anton solomon norbert elvin nolan carey rod quinton hal brain rob elwood kendrick darius
    moises marlin fidel thaddeus cliff marcel ali raphael bryon armand alvaro jeffry dane joesph
    thurman ned sammie rusty michel monty rory fabian reggie kris isaiah gus avery loyd diego
    adolph millard rocco gonzalo derick rodrigo gerry rigoberto alphonso rickie noe vern elvis
    bernardo mauricio hiram donovan basil nickolas scot vince quincy eddy sebastian federico
    ulysses heriberto donnell denny gavin emery romeo jayson dion dante clement coy odell jarvis
    bruno issac dudley sanford colby carmelo nestor hollis stefan donny linwood beau weldon galen
    isidro truman delmar johnathon silas frederic irwin merrill charley marcelino carlo trenton
    kurtis aurelio winfred vito collin denver leonel emory pasquale mohammad mariano danial landon
    dirk branden adan numbers clair buford bernie wilmer emerson zachery jacques errol josue
    edwardo wilford theron raymundo daren tristan robby lincoln jame genaro octavio cornell hung
    arron antony herschel alva giovanni garth cyrus cyril ronny stevie lon kennith carmine
    augustine erich chadwick wilburn russ myles jonas mitchel mervin zane jamel lazaro alphonse
    randell johnie jarrett ariel abdul dusty luciano seymour scottie eugenio mohammed arnulfo
    lucien ferdinand thad ezra aldo rubin mitch earle abe marquis lanny kareem jamar boris isiah
    emile elmo aron leopoldo everette josef eloy dorian rodrick reinaldo lucio jerrod weston
    hershel lemuel lavern burt jules gil eliseo ahmad nigel efren antwan alden margarito refugio
    dino osvaldo les deandre normand kieth ivory trey norberto napoleon jerold fritz rosendo
    milford sang deon christoper alfonzo lyman josiah brant wilton rico jamaal dewitt brenton yong
    olin faustino claudio judson gino edgardo alec jarred donn trinidad tad porfirio odis lenard
    chauncey tod mel marcelo kory augustus keven hilario bud sal orval mauro dannie zachariah olen
    anibal milo jed thanh amado lenny tory richie horacio brice mohamed delmer dario mac jonah
    jerrold robt
    """
}
