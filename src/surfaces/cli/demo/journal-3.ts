import { type JournalSession, note } from './journal-entry.ts'

/** Week three: causes are found and the rehearsal is run. */
export const weekThree: readonly JournalSession[] = [
  {
    name: 'Late lists and odd freight',
    startedAt: '2026-03-16T07:40:00Z',
    entries: [
      note(5, 'The nightly import now ends at 06:05; before 9 March it ended at 04:50.', {
        source: 'Wen',
        tags: ['feed', 'performance'],
        category: 'observation',
      }),
      note(12, 'Nothing can be printed until the import is done, because it locks the article table.', {
        source: 'Wen',
        tags: ['feed', 'warehouse'],
      }),
      note(19, 'Jonas put the night machines back to the medium size for this week.', {
        source: 'Jonas',
        tags: ['operations'],
        category: 'decision',
      }),
      note(26, "Tonight's import should end before five if the machine size was the cause.", {
        tags: ['feed', 'hypothesis'],
      }),
      note(34, 'Swiftvan charges by weight above 30 kilograms; freight is computed from the article table.', {
        tags: ['courier', 'pricing'],
      }),
      note(41, 'An article of 25 kilograms stood in the table with 25000.', {
        tags: ['feed', 'data'],
        category: 'observation',
      }),
      note(48, 'The import has to divide by a thousand when the unit field says g.', {
        tags: ['feed'],
        category: 'decision',
      }),
      note(55, 'Corrected 418 article weights and refunded three shipping charges.', {
        tags: ['feed', 'refunds', 'incident'],
      }),
      note(
        62,
        'Check of the feed: refuse a file in which more than five per cent of the weights change tenfold.',
        { tags: ['feed', 'lesson'], category: 'decision' },
      ),
      note(70, "Larder's staging port is 4210 since the network was renumbered on Saturday.", {
        source: 'Jonas',
        tags: ['larder', 'config'],
        cue: 'larder staging port',
      }),
      note(77, 'The health page of Larder is /healthz and needs no login.', {
        tags: ['larder', 'operations'],
      }),
      note(84, "The label host's clock runs four minutes fast.", {
        source: 'Jonas',
        tags: ['operations'],
        category: 'observation',
      }),
      note(92, 'Paylune refuses some of our callbacks as coming from the future.', {
        source: 'Tomasz',
        tags: ['payments', 'incident'],
        category: 'observation',
      }),
      note(
        99,
        "Wen's first change to the stock sync sends only quantities that differ; it is four times faster.",
        { source: 'Wen', tags: ['stock', 'performance'] },
      ),
      note(106, 'Questions about stock go to Wen, on Fridays to Tomasz.', { tags: ['stock', 'people'] }),
      note(113, 'Petit Four wants a delivery before 05:00; Swiftvan cannot promise that.', {
        source: 'Priya',
        tags: ['pilot', 'courier'],
      }),
      note(121, 'Salma asked for a button that resends a confirmation without changing the order.', {
        source: 'Salma',
        tags: ['support', 'idea'],
      }),
      note(128, 'Free delivery starts at 95 euros from today.', { source: 'Priya', tags: ['pricing'] }),
      note(
        135,
        'The spring brochure with the old limit will be honoured until 31 March for those who mention it.',
        { source: 'Priya', tags: ['pricing', 'support'], category: 'decision' },
      ),
      note(142, "Ebbe keeps a list of bakers who prefer to be called by their shop's name.", {
        source: 'Salma',
        tags: ['support', 'people'],
      }),
      note(149, 'Paylune sandbox cards must start with 4111.', { tags: ['payments'] }),
      note(156, 'I write the cause next to the symptom, so that the next reader finds both.', {
        tags: ['self/style'],
      }),
    ],
  },
  {
    name: 'Rehearsal',
    startedAt: '2026-03-18T08:10:00Z',
    entries: [
      note(3, 'The import ended at 04:47 last night and the lists were printed on time.', {
        source: 'Wen',
        tags: ['feed', 'warehouse'],
        category: 'observation',
      }),
      note(10, 'Decision: the night machines stay at medium size; saving on them made the lists late.', {
        source: 'Jonas',
        tags: ['operations', 'lesson'],
        category: 'decision',
      }),
      note(17, 'Gus is content: three mornings on time.', { source: 'Gus', tags: ['warehouse'] }),
      note(24, 'The rehearsal copied all 412,000 orders from Trolley to Larder in 51 minutes.', {
        tags: ['plan', 'data'],
      }),
      note(31, 'During the rehearsal 37 orders were refused because their currency was empty.', {
        source: 'Wen',
        tags: ['plan', 'data'],
      }),
      note(38, 'Orders without a currency are from before 2016 and were all in euros.', {
        source: 'Salma',
        tags: ['data'],
      }),
      note(45, 'Decision: an empty currency becomes euro during the copy, with a remark on the order.', {
        source: 'Tomasz',
        tags: ['data', 'plan'],
        category: 'decision',
      }),
      note(52, 'The label host now asks a time server every hour.', {
        source: 'Jonas',
        tags: ['operations'],
      }),
      note(60, 'Since the clock was corrected Paylune has refused nothing.', {
        source: 'Tomasz',
        tags: ['payments', 'operations'],
      }),
      note(67, 'Turning the switch back from stage three takes 40 seconds in the rehearsal.', {
        tags: ['plan', 'operations'],
      }),
      note(74, "The rehearsal showed that Salma's team needs read access to Larder before the day.", {
        source: 'Salma',
        tags: ['plan', 'support'],
      }),
      note(81, 'Read access for support was granted to six accounts; Ebbe tests it on Thursday.', {
        source: 'Jonas',
        tags: ['support', 'operations'],
      }),
      note(88, "Larder's error page shows the order number and the telephone of support, nothing else.", {
        source: 'Priya',
        tags: ['larder', 'support'],
        category: 'decision',
      }),
      note(96, 'Bakers on old tablets cannot open the new basket page; the browser is from 2017.', {
        source: 'Salma',
        tags: ['frontend', 'incident'],
        category: 'observation',
      }),
      note(103, 'About sixty bakeries use the tablets we gave them in 2018.', {
        source: 'Priya',
        tags: ['frontend', 'data'],
      }),
      note(110, 'Decision: build the basket page for older browsers; it costs 18 kilobytes.', {
        source: 'Mirela',
        tags: ['frontend'],
        category: 'decision',
      }),
      note(117, 'Mirela is back and has read all notes of the rehearsal.', { tags: ['people'] }),
      note(124, 'Restart the label worker after each certificate change.', {
        tags: ['operations', 'lesson'],
      }),
      note(131, 'The certificate of the shop runs out on 2 April.', {
        source: 'Jonas',
        tags: ['operations'],
      }),
      note(139, 'Jonas will renew the certificate on 30 March, after the move.', {
        source: 'Jonas',
        tags: ['operations', 'plan'],
        category: 'decision',
      }),
      note(146, 'Tomasz likes diagrams more than text; draw the write path before explaining it.', {
        source: 'Tomasz',
        tags: ['people'],
        category: 'preference',
      }),
      note(154, 'The rehearsal found two mistakes in the runbook; both are corrected.', {
        tags: ['plan', 'operations'],
      }),
    ],
  },
  {
    name: 'Loose ends before the last week',
    startedAt: '2026-03-20T08:05:00Z',
    entries: [
      note(4, 'The basket page works on the old tablets; Ebbe tried three of them.', {
        source: 'Ebbe',
        tags: ['frontend'],
      }),
      note(11, 'Ebbe could read orders in Larder but not the payments; that is on purpose.', {
        source: 'Jonas',
        tags: ['support', 'operations'],
      }),
      note(
        18,
        'Runbook for the day: Jonas turns the switch, Tomasz watches payments, Wen compares, I write the log.',
        { source: 'Mirela', tags: ['plan'], category: 'decision', cue: 'who does what on the day' },
      ),
      note(25, 'Go or no-go is decided at 09:30 on the day itself by Mirela alone.', {
        source: 'Mirela',
        tags: ['plan'],
        category: 'decision',
      }),
      note(
        32,
        'If more than three orders in ten minutes reach the repair queue, we turn back without discussion.',
        { source: 'Mirela', tags: ['plan'], category: 'decision', cue: 'when to roll back' },
      ),
      note(39, 'Gus will have two extra people at the packing tables on the day.', {
        source: 'Gus',
        tags: ['warehouse', 'plan'],
      }),
      note(46, 'Swiftvan will come at 16:15 instead of 15:30 on the day, as a favour.', {
        source: 'Dagny',
        tags: ['courier', 'plan'],
      }),
      note(53, 'The comparison job found no difference for four nights in a row.', {
        source: 'Wen',
        tags: ['data'],
      }),
      note(60, 'Wen proposes to keep the comparison job for a month after the move.', {
        source: 'Wen',
        tags: ['data', 'idea'],
      }),
      note(68, 'A baker in Aalborg still sends orders by fax; Salma types in about four a week.', {
        source: 'Salma',
        tags: ['support'],
      }),
      note(75, 'The fax number must appear on the new contact page, or Aalborg complains.', {
        source: 'Salma',
        tags: ['support', 'frontend'],
      }),
      note(
        82,
        'Dependencies of Larder are updated on the first Monday of a month, never in a week with a move.',
        { source: 'Tomasz', tags: ['tooling'], category: 'decision' },
      ),
      note(89, 'Staging is emptied every Sunday at 03:00; do not leave test orders there.', {
        source: 'Jonas',
        tags: ['operations', 'config'],
      }),
      note(97, 'Repair queue: after six failed retries the entry is parked and Jonas gets a message.', {
        tags: ['larder', 'operations'],
      }),
      note(104, 'Priya wants one page for bakers that says what changes for them; at most 150 words.', {
        source: 'Priya',
        tags: ['plan'],
        category: 'preference',
      }),
      note(111, 'Draft for bakers: same address, same number, new look; the old basket is emptied once.', {
        tags: ['plan'],
      }),
      note(118, 'Wen is not in on Fridays, so Tomasz answers for the stock sync today.', {
        tags: ['stock', 'people'],
      }),
      note(126, 'Orders placed before 14:00 leave the warehouse on the same day.', { tags: ['warehouse'] }),
      note(133, 'Wen works four days a week and is never in on Fridays.', {
        tags: ['people'],
        category: 'preference',
      }),
      note(140, 'Idle connections to PostgreSQL are closed after ten minutes; the pool holds twenty.', {
        tags: ['larder', 'config'],
      }),
      note(147, 'The team eats together on Thursdays; Tomasz pays when a test was red on the main branch.', {
        source: 'Tomasz',
        tags: ['people'],
      }),
      note(155, 'Lesson: the rehearsal was worth more than the plan, because it met the data.', {
        tags: ['lesson'],
      }),
    ],
  },
]
