import { type JournalSession, note } from './journal-entry.ts'

/** Week four: the move itself and what was learned. */
export const weekFour: readonly JournalSession[] = [
  {
    name: 'Three days to go',
    startedAt: '2026-03-23T07:50:00Z',
    entries: [
      note(4, 'The page for bakers went out to 3,090 addresses; eleven bounced.', {
        source: 'Priya',
        tags: ['plan', 'support'],
      }),
      note(11, 'Eleven bakeries with bouncing addresses were called by Ebbe.', {
        source: 'Ebbe',
        tags: ['support'],
      }),
      note(18, 'Stage two now covers all bakeries: every order is written to both systems.', {
        tags: ['plan', 'larder'],
      }),
      note(25, 'Since this morning 640 orders were written to both; three went through the repair queue.', {
        source: 'Wen',
        tags: ['plan', 'data'],
      }),
      note(32, 'All three repairs were orders with an ampersand in the company name.', {
        tags: ['larder', 'incident'],
        category: 'observation',
      }),
      note(39, 'The label template now escapes ampersands; the three orders passed on the next retry.', {
        tags: ['larder', 'incident'],
      }),
      note(46, 'Support telephone starts at 05:30 this week, half an hour earlier than usual.', {
        source: 'Salma',
        tags: ['support'],
      }),
      note(53, 'On-call is shared from now on: Jonas in even weeks, Tomasz in odd weeks.', {
        source: 'Mirela',
        tags: ['operations', 'people'],
        category: 'decision',
        cue: 'who is on call',
      }),
      note(60, 'The on-call telephone lies in the drawer of the grey cabinet; its PIN is in the vault.', {
        source: 'Jonas',
        tags: ['operations'],
      }),
      note(68, 'Yeast orders peak on Wednesday evening because bakeries prepare the weekend.', {
        source: 'Wen',
        tags: ['data'],
      }),
      note(75, 'Cold goods need a thermo box; Gus adds it by hand when yeast is above five kilograms.', {
        source: 'Gus',
        tags: ['warehouse'],
      }),
      note(82, 'Larder does not know about thermo boxes yet; a remark on the picking list must do.', {
        tags: ['larder', 'warehouse'],
        category: 'decision',
      }),
      note(89, 'The Danish tax office wants the company number on every invoice above 3,000 kroner.', {
        source: 'finance',
        tags: ['pricing', 'data'],
      }),
      note(
        96,
        'Tax rates are cached for one hour, so a change by finance shows after at most sixty minutes.',
        { tags: ['pricing', 'performance'] },
      ),
      note(103, 'The Paylune contract ends in October; Priya wants two other offers by June.', {
        source: 'Priya',
        tags: ['payments'],
      }),
      note(111, 'Mirela wants short status messages: what changed, what is blocked, what is next.', {
        tags: ['people'],
        category: 'preference',
      }),
      note(118, "Larder's staging port is 4210.", { tags: ['larder', 'config'] }),
      note(
        125,
        'A rollback drops no order: whatever Larder took is replayed into Trolley from the event table.',
        { source: 'Tomasz', tags: ['plan', 'larder'] },
      ),
      note(132, 'The event table keeps every change to an order for two years.', {
        tags: ['larder', 'data'],
      }),
      note(140, 'Kornhus will ring Salma at nine on the day and order as if nothing had happened.', {
        source: 'Salma',
        tags: ['pilot', 'plan'],
      }),
      note(
        147,
        'Mirela asked me to write the log of the day in plain sentences, one every quarter of an hour.',
        { source: 'Mirela', tags: ['plan'], category: 'preference' },
      ),
      note(154, 'Goal for Thursday: no order lost, none charged twice, and a log a stranger can follow.', {
        tags: ['self/goal'],
      }),
    ],
  },
  {
    name: 'The day of the move',
    startedAt: '2026-03-26T07:00:00Z',
    entries: [
      note(10, 'All checks are green at 07:10: backups done, comparison empty, queue empty.', {
        tags: ['move'],
      }),
      note(31, 'Gus reports lists printed at 05:31 and two extra packers present.', {
        source: 'Gus',
        tags: ['move', 'warehouse'],
      }),
      note(
        95,
        'The finance office asked on short notice for a copy of all March invoices; postponed to Friday.',
        { tags: ['move'], category: 'decision' },
      ),
      note(150, 'Mirela said go at 09:30.', { source: 'Mirela', tags: ['move'], category: 'decision' }),
      note(154, 'Jonas turned the switch at 09:34: Larder alone takes orders now.', {
        source: 'Jonas',
        tags: ['move'],
      }),
      note(158, 'The first order in Larder alone was H00412733, flour and tins for Lundqvist.', {
        tags: ['move', 'larder'],
      }),
      note(170, 'Kornhus ordered by telephone at 09:50 and noticed nothing.', {
        source: 'Salma',
        tags: ['move', 'pilot'],
      }),
      note(186, 'At 10:06 two orders went to the repair queue; the limit for turning back is three.', {
        tags: ['move', 'incident'],
        category: 'observation',
      }),
      note(192, 'Both repairs came from the same bakery with a house number of 14 characters.', {
        source: 'Wen',
        tags: ['move', 'data'],
      }),
      note(201, 'The house number column was widened to 20 characters; both orders passed.', {
        tags: ['move', 'larder'],
      }),
      note(240, 'Two hundred orders by 11:00, none lost, none charged twice.', {
        source: 'Wen',
        tags: ['move'],
      }),
      note(305, 'Noon was calm: the slowest Paylune answer took 7.9 seconds and no payment timed out.', {
        source: 'Tomasz',
        tags: ['move', 'payments'],
      }),
      note(380, "Salma's team had nine calls about the move, six of them praise for the history page.", {
        source: 'Salma',
        tags: ['move', 'support'],
      }),
      note(420, 'The cut-off of 14:00 was kept; 311 parcels stood ready for Swiftvan.', {
        source: 'Gus',
        tags: ['move', 'warehouse'],
      }),
      note(555, 'Swiftvan came at 16:15 as promised and took everything.', {
        source: 'Gus',
        tags: ['move', 'courier'],
      }),
      note(570, 'Trolley is read-only from tonight and will be switched off on 30 April.', {
        source: 'Mirela',
        tags: ['trolley', 'plan'],
        category: 'decision',
        cue: 'end of Trolley',
      }),
      note(575, 'Jonas went home at four on the busiest day of the year; the limit of 16:00 held.', {
        tags: ['operations', 'people'],
      }),
      note(580, 'Total of the day: 702 orders, four repairs, no loss.', {
        source: 'Wen',
        tags: ['move', 'data'],
      }),
      note(584, 'The two later repairs were typing errors in purchase numbers, not faults of ours.', {
        source: 'Wen',
        tags: ['move', 'data'],
      }),
      note(588, 'Priya brought cinnamon buns from Bageri Ost for everybody.', { tags: ['people', 'move'] }),
      note(592, 'Having a written limit for turning back kept the talk at 10:06 to one minute.', {
        tags: ['move', 'lesson'],
      }),
      note(596, 'Every payment carries an idempotency key made of the order number and the attempt.', {
        tags: ['payments', 'larder'],
      }),
    ],
  },
  {
    name: 'Looking back',
    startedAt: '2026-03-27T08:30:00Z',
    entries: [
      note(5, 'First night of Larder alone: import done at 04:41, lists printed at 05:30.', {
        source: 'Jonas',
        tags: ['larder', 'feed'],
      }),
      note(12, 'The copy of the March invoices went to finance at 08:35.', { tags: ['pricing'] }),
      note(19, 'Review: what hurt us were units, clocks and machine sizes, not the code of Larder.', {
        source: 'Mirela',
        tags: ['lesson'],
      }),
      note(26, 'Review: three of our five incidents had a cause that somebody had noted days before.', {
        source: 'Mirela',
        tags: ['lesson'],
      }),
      note(33, 'Habit to keep: when something changes upstream, write down who could feel it.', {
        tags: ['self/value', 'lesson'],
      }),
      note(40, 'The comparison job runs until 30 April and then goes away with Trolley.', {
        source: 'Wen',
        tags: ['data', 'plan'],
        category: 'decision',
      }),
      note(47, 'Salma gets her button to resend a confirmation in the second week of April.', {
        source: 'Priya',
        tags: ['support', 'plan'],
      }),
      note(54, 'Thermo boxes become a proper article in Larder; Gus will say which sizes.', {
        source: 'Gus',
        tags: ['warehouse', 'plan'],
        category: 'decision',
      }),
      note(61, 'Gus agreed to a new picking list after Easter if he may draw it himself.', {
        source: 'Gus',
        tags: ['warehouse'],
        category: 'preference',
      }),
      note(68, 'Jonas renews the certificate on Monday 30 March and restarts the label worker afterwards.', {
        source: 'Jonas',
        tags: ['operations', 'plan'],
      }),
      note(75, 'Jonas is on call next week, because week 14 has an even number.', {
        source: 'Jonas',
        tags: ['operations', 'people'],
      }),
      note(
        82,
        "Next month's work: usual baskets as a suggestion, measured against reorders of the pilot bakeries.",
        { source: 'Priya', tags: ['idea', 'plan'] },
      ),
      note(90, 'The brochure with the old delivery limit was honoured for fourteen bakers so far.', {
        source: 'Salma',
        tags: ['pricing', 'support'],
      }),
      note(97, 'Restart the label worker after each certificate change.', { tags: ['operations', 'lesson'] }),
      note(104, 'The stock sync belongs to Wen; her deputy on Fridays is Tomasz.', {
        tags: ['stock', 'people'],
      }),
      note(
        111,
        'My goal for April: fewer surprises from outside, by checking every file that others send us.',
        { tags: ['self/goal'] },
      ),
    ],
  },
]
