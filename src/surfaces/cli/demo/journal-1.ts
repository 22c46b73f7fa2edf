import { type JournalSession, note } from './journal-entry.ts'

/** Week one: the agent joins, reads the system and plans the move. */
export const weekOne: readonly JournalSession[] = [
  {
    name: 'First day: getting to know the shop',
    startedAt: '2026-03-02T08:30:00Z',
    entries: [
      note(2, 'I am elf, a software agent working with the order team of Hartmill Supply.', {
        tags: ['self/context'],
      }),
      note(4, 'Hartmill Supply sells flour, yeast, tins and machines to about 3,100 bakeries.', {
        tags: ['company'],
      }),
      note(7, 'My goal this month: help move order handling out of Trolley without losing a single order.', {
        tags: ['self/goal'],
      }),
      note(9, 'Trolley is the old shop: one PHP application from 2014 with a MySQL database.', {
        tags: ['trolley'],
      }),
      note(12, 'Mirela Oduya leads the order team and decides what goes live.', { tags: ['people'] }),
      note(14, 'Tomasz Brandl writes most of the backend and owns the stock sync.', {
        tags: ['people', 'stock'],
      }),
      note(16, 'Priya Venn is the product manager; she talks to the bakeries every Wednesday.', {
        tags: ['people'],
      }),
      note(18, 'Jonas Ekdahl runs operations: servers, backups, certificates and the on-call phone.', {
        tags: ['people', 'operations'],
      }),
      note(20, 'Salma Karim leads customer support from the Malmo office.', { tags: ['people', 'support'] }),
      note(
        22,
        'Gus Pettersen has run the warehouse for nineteen years and dislikes e-mail; ring him instead.',
        { source: 'Mirela', tags: ['people', 'warehouse'], category: 'preference' },
      ),
      note(31, 'The new order service is called Larder and is written in TypeScript.', { tags: ['larder'] }),
      note(33, 'Larder keeps its data in PostgreSQL 16; Trolley stays on MySQL until the move is over.', {
        tags: ['larder', 'config'],
      }),
      note(40, 'In staging Larder listens on port 4100.', {
        tags: ['larder', 'config'],
        cue: 'larder staging port',
      }),
      note(44, 'Cutover from Trolley to Larder is planned for Tuesday 17 March.', {
        source: 'Mirela',
        tags: ['plan'],
        category: 'decision',
        cue: 'cutover date',
      }),
      note(52, 'Mirela wants short status messages: what changed, what is blocked, what comes next.', {
        source: 'Mirela',
        tags: ['people'],
        category: 'preference',
      }),
      note(58, 'Priya wants dates written as day month year, never with slashes.', {
        source: 'Priya',
        tags: ['people'],
        category: 'preference',
      }),
      note(66, 'Orders placed before 14:00 leave the warehouse the same day.', {
        source: 'Gus',
        tags: ['warehouse'],
      }),
      note(71, 'Payments go through Paylune; we never see full card numbers.', { tags: ['payments'] }),
      note(76, 'Calls to Paylune time out after 5 seconds.', {
        tags: ['payments', 'config'],
        cue: 'paylune timeout',
      }),
      note(83, 'Delivery is free for baskets above 80 euros.', { source: 'Priya', tags: ['pricing'] }),
      note(90, 'The courier is Swiftvan; it collects at 15:30 on weekdays and not on Saturdays.', {
        source: 'Gus',
        tags: ['warehouse', 'courier'],
      }),
      note(97, 'I say when I am guessing, and I write down what would settle it.', { tags: ['self/style'] }),
    ],
  },
  {
    name: 'Reading Trolley and the data',
    startedAt: '2026-03-04T07:45:00Z',
    entries: [
      note(3, 'Trolley writes an order in three steps: basket row, payment row, then the confirmation.', {
        tags: ['trolley'],
      }),
      note(8, 'If Trolley dies between payment and confirmation, the money is taken and nobody is told.', {
        tags: ['trolley', 'risk'],
        category: 'observation',
      }),
      note(15, 'About four orders a month end in that gap; Salma finds them because bakers phone.', {
        source: 'Salma',
        tags: ['trolley', 'support'],
      }),
      note(21, 'Order numbers in Trolley are plain counters; Larder uses the letter H and eight digits.', {
        tags: ['larder', 'trolley'],
      }),
      note(27, 'Wen Achterberg joined as data engineer on Monday and sits next to Tomasz.', {
        tags: ['people'],
      }),
      note(33, 'Wen works four days a week and is never in on Fridays.', {
        source: 'Wen',
        tags: ['people'],
        category: 'preference',
      }),
      note(40, 'Prices in Trolley are stored as decimals with four places; Larder uses whole cents.', {
        tags: ['trolley', 'larder', 'pricing'],
      }),
      note(46, 'Decision: convert prices once during the move and log every row that rounds differently.', {
        source: 'Mirela',
        tags: ['pricing', 'plan'],
        category: 'decision',
      }),
      note(54, 'The stock sync copies quantities from the warehouse system to the shop every ten minutes.', {
        tags: ['stock'],
      }),
      note(60, 'The warehouse system is a rented product called Binman; it has no sandbox.', {
        tags: ['warehouse', 'stock'],
      }),
      note(68, 'Never run a write against Binman from a test: there is only the live one.', {
        source: 'Tomasz',
        tags: ['warehouse', 'lesson'],
      }),
      note(75, 'Paylune sandbox cards must start with 4111.', { tags: ['payments'] }),
      note(81, 'Tomasz thinks the slow checkout comes from the search index.', {
        source: 'Tomasz',
        tags: ['performance'],
        category: 'observation',
      }),
      note(89, 'The wiki says refunds need two approvals.', { source: 'wiki', tags: ['support', 'refunds'] }),
      note(95, 'I would rather ask twice than lose an order once.', { tags: ['self/value'] }),
      note(104, 'A customer record may have several delivery addresses but exactly one invoice address.', {
        tags: ['data'],
      }),
      note(112, 'Roughly nine per cent of customer records have no telephone number.', {
        source: 'Wen',
        tags: ['data'],
      }),
      note(118, 'Bakeries in Denmark are billed in kroner; all others in euros.', {
        tags: ['pricing', 'payments'],
      }),
      note(126, 'The confirmation mail is sent by a cron job on the Trolley host, once a minute.', {
        tags: ['trolley', 'mail'],
      }),
      note(133, 'Jonas asked that nothing is deployed after 16:00 because he fetches his twins at five.', {
        source: 'Jonas',
        tags: ['operations', 'people'],
        category: 'preference',
      }),
      note(140, 'Restart the label worker after each certificate change.', {
        source: 'runbook',
        tags: ['operations', 'lesson'],
      }),
      note(149, 'Open question: who tells Swiftvan when an order is split into two parcels?', {
        tags: ['courier', 'question'],
      }),
    ],
  },
  {
    name: 'Plan for the move',
    startedAt: '2026-03-06T08:15:00Z',
    entries: [
      note(2, 'Decision: move in three stages: read from Larder, write to both, then write to Larder only.', {
        source: 'Mirela',
        tags: ['plan'],
        category: 'decision',
        cue: 'stages of the move',
      }),
      note(9, 'Decision: every stage has a switch that Jonas can turn back without a deployment.', {
        source: 'Mirela',
        tags: ['plan', 'operations'],
        category: 'decision',
      }),
      note(15, 'The switches live in the settings table of Larder and are read every thirty seconds.', {
        tags: ['larder', 'config'],
      }),
      note(23, 'While both systems are written, Trolley is right whenever they disagree.', {
        source: 'Tomasz',
        tags: ['plan'],
        category: 'decision',
      }),
      note(
        30,
        'A nightly comparison job counts orders, sums and lines on both sides and mails the differences.',
        { source: 'Wen', tags: ['data', 'plan'] },
      ),
      note(37, 'The comparison job starts at 02:40, after the MySQL backup.', { tags: ['data', 'config'] }),
      note(44, 'Gus refuses a new picking list before Easter; the layout must stay exactly as it is.', {
        source: 'Gus',
        tags: ['warehouse'],
        category: 'preference',
      }),
      note(51, 'The picking list is printed at 05:30 so that the early shift can start at six.', {
        source: 'Gus',
        tags: ['warehouse'],
      }),
      note(59, 'Priya promised five pilot bakeries that they may try Larder first.', {
        source: 'Priya',
        tags: ['pilot'],
      }),
      note(64, 'The pilot bakeries are Kornhus, Lundqvist, Petit Four, Marzipan Lane and Bageri Ost.', {
        source: 'Priya',
        tags: ['pilot'],
      }),
      note(70, 'Kornhus orders by telephone only; Salma types the order in for them.', {
        source: 'Salma',
        tags: ['pilot', 'support'],
      }),
      note(78, 'Priya wants dates written as day month year, never with slashes.', {
        tags: ['people'],
        category: 'preference',
      }),
      note(85, 'Load target for Larder: forty orders a minute, twice the best minute of last December.', {
        source: 'Mirela',
        tags: ['larder', 'performance'],
      }),
      note(92, 'The wholesaler now sends article weights in grams; until Thursday they came in kilograms.', {
        source: 'feed changelog',
        tags: ['feed'],
        category: 'observation',
      }),
      note(99, 'Catalogue changes arrive from the wholesaler every night as an XML file.', {
        tags: ['feed'],
      }),
      note(107, 'Tests for Larder run with npm test and take about two minutes.', {
        tags: ['larder', 'tooling'],
      }),
      note(
        113,
        'Tomasz reviews within a day if the change is under 300 lines; larger ones wait for Monday.',
        { source: 'Tomasz', tags: ['people', 'tooling'], category: 'preference' },
      ),
      note(121, 'Restart the label worker after each certificate change.', {
        source: 'Jonas',
        tags: ['operations', 'lesson'],
      }),
      note(128, 'The sandbox cards of Paylune have to start with 4111.', { tags: ['payments'] }),
      note(136, 'Support answers mail from 07:00 to 16:00 and telephone from 06:00.', {
        source: 'Salma',
        tags: ['support'],
      }),
      note(143, 'Goal for next week: Larder serves order history for the pilot bakeries.', {
        tags: ['self/goal', 'plan'],
      }),
      note(
        150,
        'Lesson of the week: people describe what the system should do; the cron table shows what it does.',
        { tags: ['lesson'] },
      ),
    ],
  },
]
