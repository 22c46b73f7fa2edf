import { type JournalSession, note } from './journal-entry.ts'

/** Week two: the pilot starts and the first surprises arrive. */
export const weekTwo: readonly JournalSession[] = [
  {
    name: 'Pilot reads from Larder',
    startedAt: '2026-03-09T07:30:00Z',
    entries: [
      note(4, 'Stage one is live for the five pilot bakeries: order history now comes from Larder.', {
        tags: ['pilot', 'larder'],
      }),
      note(11, 'Staging moved: Larder listens on port 4180 because 4100 collides with the label worker.', {
        source: 'Jonas',
        tags: ['larder', 'config'],
        cue: 'larder staging port',
      }),
      note(17, "Marzipan Lane saw last year's orders twice; the history query joined both address rows.", {
        source: 'Salma',
        tags: ['pilot', 'incident'],
        category: 'observation',
      }),
      note(26, 'Fixed the doubled history by grouping on the order number, with a test for two addresses.', {
        tags: ['larder', 'incident'],
      }),
      note(34, 'Three bakers were quoted absurd freight for a single sack.', {
        source: 'Salma',
        tags: ['support'],
        category: 'observation',
      }),
      note(41, 'Salma hands out a goodwill voucher of ten euros without asking anyone.', {
        source: 'Salma',
        tags: ['support', 'refunds'],
      }),
      note(48, 'Refunds below 250 euros need one approval since January; the wiki page is out of date.', {
        source: 'Salma',
        tags: ['support', 'refunds'],
      }),
      note(55, 'Checkout is slow because the tax lookup runs once per basket line, not because of search.', {
        tags: ['performance', 'lesson'],
        category: 'observation',
      }),
      note(63, 'With one tax lookup per basket the checkout page takes 0.4 seconds instead of 2.1.', {
        tags: ['performance'],
      }),
      note(70, 'Tomasz agreed that the search index was the wrong suspect.', {
        source: 'Tomasz',
        tags: ['performance'],
      }),
      note(77, 'Bageri Ost asks for invoices as PDF with the purchase number in the subject line.', {
        source: 'Priya',
        tags: ['pilot'],
        category: 'preference',
      }),
      note(84, 'Petit Four is closed on Mondays; do not ring them then.', {
        source: 'Priya',
        tags: ['pilot'],
        category: 'preference',
      }),
      note(92, 'The comparison job found 12 orders that differ by one cent.', {
        source: 'Wen',
        tags: ['data', 'pricing'],
      }),
      note(98, 'All twelve one-cent differences are Danish orders: kroner are rounded per line in Trolley.', {
        source: 'Wen',
        tags: ['data', 'pricing'],
      }),
      note(105, 'Decision: Larder rounds kroner per line too, so that old and new invoices agree.', {
        source: 'Mirela',
        tags: ['pricing'],
        category: 'decision',
      }),
      note(113, 'Secrets for staging are in the vault under larder/staging; nobody keeps them in files.', {
        source: 'Jonas',
        tags: ['operations', 'config'],
      }),
      note(120, 'Larder writes its log as JSON lines; one line per request with the order number.', {
        tags: ['larder', 'operations'],
      }),
      note(127, 'Jonas reads logs on his telephone, so the message must come first in the line.', {
        source: 'Jonas',
        tags: ['operations', 'people'],
        category: 'preference',
      }),
      note(135, 'Nightly machines were halved to the small size to save 140 euros a month.', {
        source: 'Jonas',
        tags: ['operations'],
        category: 'decision',
      }),
      note(142, 'Orders placed before 14:00 leave the warehouse the same day.', { tags: ['warehouse'] }),
      note(150, 'Kornhus liked the new history page; they can finally see what they bought for Christmas.', {
        source: 'Salma',
        tags: ['pilot'],
      }),
      note(158, 'Idea for later: show the usual basket of a bakery as a first suggestion.', {
        source: 'Priya',
        tags: ['idea'],
      }),
    ],
  },
  {
    name: 'Writing to both',
    startedAt: '2026-03-11T08:00:00Z',
    entries: [
      note(3, 'Tomasz hands the stock sync to Wen; she owns it from today.', {
        source: 'Mirela',
        tags: ['people', 'stock'],
        category: 'decision',
        cue: 'stock sync owner',
      }),
      note(9, 'Writing to both systems is switched on for Lundqvist only.', { tags: ['pilot', 'plan'] }),
      note(
        16,
        'A failed write to Larder must never fail the order in Trolley; it goes to the repair queue.',
        { source: 'Tomasz', tags: ['plan', 'larder'], category: 'decision' },
      ),
      note(24, 'The repair queue is a table called pending_orders; a worker retries it every five minutes.', {
        tags: ['larder', 'config'],
      }),
      note(31, 'After six failed retries an entry in the repair queue is parked and Jonas gets a message.', {
        tags: ['larder', 'operations'],
      }),
      note(38, 'Picking lists reached the early shift forty minutes late on two mornings.', {
        source: 'Gus',
        tags: ['warehouse', 'incident'],
        category: 'observation',
      }),
      note(45, 'Gus rang: he will print lists by hand if they are late once more.', {
        source: 'Gus',
        tags: ['warehouse'],
      }),
      note(53, 'Paylune answers slowly between 12:00 and 13:00, up to nine seconds.', {
        source: 'Tomasz',
        tags: ['payments'],
        category: 'observation',
      }),
      note(59, 'The Paylune timeout is now 12 seconds; five was too short at noon.', {
        source: 'Tomasz',
        tags: ['payments', 'config'],
        cue: 'paylune timeout',
      }),
      note(
        66,
        'A timed-out payment is not a failed payment: ask Paylune for its state before trying again.',
        { tags: ['payments', 'lesson'] },
      ),
      note(74, 'Every payment carries an idempotency key made of the order number and the attempt.', {
        tags: ['payments', 'larder'],
      }),
      note(81, 'Lundqvist places the same order every Tuesday and Friday at 06:10.', {
        source: 'Wen',
        tags: ['pilot'],
      }),
      note(88, 'Restarting the label printer stops the doubled confirmation mails.', {
        source: 'Salma',
        tags: ['mail', 'support'],
        category: 'observation',
      }),
      note(95, 'Four bakers received their confirmation twice today.', {
        source: 'Salma',
        tags: ['mail', 'incident'],
        category: 'observation',
      }),
      note(102, 'The cron job picked mails up a second time when a run took longer than a minute.', {
        tags: ['mail', 'trolley'],
      }),
      note(
        109,
        'The label printer had nothing to do with the doubled mails; that restart was a coincidence.',
        { tags: ['mail', 'lesson'] },
      ),
      note(116, 'The mail job now takes a lock before it reads, so two runs cannot overlap.', {
        tags: ['mail', 'trolley'],
      }),
      note(124, 'I check a fix twice: once when it works, once the day after.', { tags: ['self/value'] }),
      note(131, "Salma's team has five people; Ebbe covers the early mornings.", {
        source: 'Salma',
        tags: ['people', 'support'],
      }),
      note(139, 'Delivery is free for baskets above 80 euros.', { tags: ['pricing'] }),
      note(146, "The wholesaler's file arrives between 01:15 and 01:50; the import begins at two.", {
        source: 'Wen',
        tags: ['feed', 'config'],
      }),
      note(153, 'Nobody has answered yet who tells Swiftvan about split parcels.', {
        tags: ['courier', 'question'],
      }),
    ],
  },
  {
    name: 'Friday review of week two',
    startedAt: '2026-03-13T08:20:00Z',
    entries: [
      note(2, 'The cutover moves from 17 March to Thursday 26 March; kroner and late lists come first.', {
        source: 'Mirela',
        tags: ['plan'],
        category: 'decision',
        cue: 'cutover date',
      }),
      note(9, 'Priya told the pilot bakeries about the new date and nobody minded.', {
        source: 'Priya',
        tags: ['pilot', 'plan'],
      }),
      note(16, 'Writing to both systems now runs for all five pilot bakeries.', { tags: ['pilot', 'plan'] }),
      note(23, 'In three days the repair queue held two entries, both caused by a missing postcode.', {
        source: 'Wen',
        tags: ['larder', 'data'],
      }),
      note(30, 'Larder accepts orders without a postcode for Ireland and Faroe only.', {
        tags: ['larder', 'data'],
        category: 'decision',
      }),
      note(37, 'Free delivery now starts at 95 euros; the change applies from Monday 16 March.', {
        source: 'Priya',
        tags: ['pricing'],
        category: 'decision',
        cue: 'free delivery limit',
      }),
      note(44, 'The old limit of eighty euros is still printed in the spring brochure.', {
        source: 'Salma',
        tags: ['pricing', 'support'],
      }),
      note(51, "Swiftvan's contact is Dagny Holt; she answers text messages faster than calls.", {
        source: 'Gus',
        tags: ['courier', 'people'],
      }),
      note(58, 'Dagny says the second label of a split order must carry the same reference with a suffix.', {
        source: 'Dagny',
        tags: ['courier'],
      }),
      note(65, 'Decision: Larder prints the suffix -2, -3 on labels of split orders.', {
        source: 'Mirela',
        tags: ['courier', 'larder'],
        category: 'decision',
      }),
      note(73, 'Jonas keeps MySQL backups for thirty days and tests a restore on the first of the month.', {
        source: 'Jonas',
        tags: ['operations'],
      }),
      note(80, 'The last test restore took 38 minutes.', { source: 'Jonas', tags: ['operations'] }),
      note(87, 'PostgreSQL backups go to a bucket in another region every hour.', {
        source: 'Jonas',
        tags: ['operations', 'larder'],
      }),
      note(94, 'The load test reached 55 orders a minute before the tax lookup slowed down.', {
        tags: ['performance', 'larder'],
      }),
      note(101, 'Tax rates are cached for one hour; the finance team changes them twice a year.', {
        tags: ['performance', 'pricing'],
      }),
      note(108, 'Mirela is away from Monday to Wednesday; Tomasz decides in her place.', {
        source: 'Mirela',
        tags: ['people'],
      }),
      note(116, 'Customer numbers stay the same in Larder; bakers know theirs by heart.', {
        source: 'Salma',
        tags: ['data', 'larder'],
        category: 'decision',
      }),
      note(123, 'Calls to Paylune time out after 12 seconds.', { tags: ['payments', 'config'] }),
      note(130, 'A customer record can have several delivery addresses but exactly one invoice address.', {
        tags: ['data'],
      }),
      note(
        138,
        'Lesson: a date that moved once should be announced with the reason, or people expect it to move again.',
        { tags: ['lesson'] },
      ),
      note(145, 'Goal for next week: find out why the picking lists are late.', {
        tags: ['self/goal', 'warehouse'],
      }),
      note(152, 'Jonas asked that nothing is deployed after 16:00 because he fetches his twins at five.', {
        tags: ['operations', 'people'],
        category: 'preference',
      }),
    ],
  },
]
