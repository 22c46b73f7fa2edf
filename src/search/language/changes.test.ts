import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tellsChange } from '../../domain/conflict/slot/same-thing.ts'
import { createLanguage } from './choose.ts'

const NOTHING = { words: [], adds: false }
const auto = createLanguage('auto')
const NOW = Date.UTC(2026, 5, 15)

test.each([
  ['english', 'The queue is on NATS now.', 'The queue runs on NATS.'],
  ['english', 'Leo gave his old violin away.', 'Leo gave his old violin to Ana.'],
  ['english', 'Ines drinks coffee once more.', 'Ines drinks coffee.'],
  ['german', 'Der Server läuft nicht mehr auf Port 4210.', 'Der Server läuft auf Port 4210.'],
  ['french', "L'équipe travaille désormais à Lyon.", "L'équipe travaille à Lyon."],
  ['spanish', 'El equipo ya no trabaja en Madrid.', 'El equipo trabaja en Madrid.'],
  ['portuguese', 'A equipa mudou para o Porto.', 'A equipa trabalha no Porto.'],
  ['italian', 'La squadra si è trasferita a Torino.', 'La squadra lavora a Torino.'],
  ['dutch', 'Het team is verhuisd naar Utrecht.', 'Het team werkt in Utrecht.'],
  ['russian', 'Команда переехала в Казань.', 'Команда работает в Казани.'],
])('in %s “%s” tells of change and “%s” does not', (language, changed, plain) => {
  const said = [changed, plain].map((text) => createLanguage(language).said?.(text) ?? NOTHING)
  expect(said.map(tellsChange)).toEqual([true, false])
})

test.each([
  ['Where did Ruben live before?', 'before'],
  // "With what did we run it?" and "What did we run then?" are written alike.
  ['What did we use to run?', undefined],
  ['Where did she use to live?', 'before'],
  ['Who did the old team use to report to?', 'before'],
  ['What did the port use to be?', 'before'],
  ['Which tool did Ana use to build it?', undefined],
  ['Where do we use to much salt?', undefined],
  ['What was the previous port?', 'before'],
  ['What must be done before a release?', undefined],
  ['What was the port originally?', 'first'],
  ['Wo hat Ruben früher gewohnt?', 'before'],
  ['Où est-ce que Ruben habitait auparavant ?', 'before'],
  ['¿Dónde vivía Ruben antes de la boda?', 'before'],
  ['Where does Ruben live?', undefined],
  ['Who guarded the moat before?', 'before'],
  ['Who led project Heron earlier?', 'before'],
  ['Who inspected the turbine previously?', 'before'],
  ['Where did Ruben live before the move?', 'before'],
  ['What did Ana eat before lunch?', undefined],
  ['What must I do before a deploy?', undefined],
  ['Should I have called before?', undefined],
  ['Who opens the hall before lunch?', undefined],
  ['Wer leitete den Chor davor?', 'before'],
  ['Was muss ich vor einem Deploy tun?', undefined],
  ['Qui gardait la porte avant ?', 'before'],
  ['Que faut-il faire avant un déploiement ?', undefined],
  ['Qui ouvre la salle avant midi ?', undefined],
  ['¿Quién cuidaba la puerta antes?', 'before'],
  ['¿Qué hago antes de un despliegue?', undefined],
  ['Quem era o chefe antes?', 'before'],
  ['O que devo fazer antes de um lançamento?', undefined],
  ['Chi guidava il coro prima?', 'before'],
  ['Che cosa devo fare prima di un rilascio?', undefined],
  ['Chi era il direttore in origine?', 'first'],
  ['Which key is used to open the cabinet?', undefined],
  ['Who hears claims at first instance?', undefined],
  ['Which cluster runs release 2024.2?', undefined],
  ['Where is the Okafor file 2025/114?', undefined],
  ['Who handles invoice 2025-03-117?', undefined],
])('%s asks for the version: %s', (question, past) => {
  expect(auto.pastAsked?.(question, NOW)).toBe(past)
})

test.each([
  ['What was the port in March?', '2026-03-01', '2026-04-01'],
  ['What was the port in August?', '2025-08-01', '2025-09-01'],
  ['What was the port on 3 May 2025?', '2025-05-03', '2025-05-04'],
  ['What was the port in 2024?', '2024-01-01', '2025-01-01'],
  ['What was the port on 2026-02-03?', '2026-02-03', '2026-02-04'],
  ['Welcher Port war es im März 2026?', '2026-03-01', '2026-04-01'],
])('%s asks for the time from %s to %s', (question, from, to) => {
  expect(auto.pastAsked?.(question, NOW)).toEqual({ from: Date.parse(from), to: Date.parse(to) })
})

test('a month that has not ended, and a word that only looks like one, name no time of the past', () => {
  for (const question of ['What is planned for June?', 'What may the port be?', 'Who will march today?'])
    expect(auto.pastAsked?.(question, NOW)).toBeUndefined()
})

test('a date in words is read as the calendar has it, whatever stands around it', () => {
  const months =
    'January February March April May June July August September October November December'.split(' ')
  const date = fc.date({ min: new Date('1950-01-01'), max: new Date('2025-12-31'), noInvalidDate: true })
  const starts = fc.constantFrom('What was it on', 'Who led us on')
  fc.assert(
    fc.property(date, starts, fc.boolean(), (given, start, isShort) => {
      const [year, month, day] = [given.getUTCFullYear(), given.getUTCMonth(), given.getUTCDate()]
      const name = isShort ? months[month]?.slice(0, 3) : months[month]
      const read = auto.pastAsked?.(`${start} ${day} ${name} ${year}?`, NOW)
      expect(read).toEqual({ from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) })
      const dotted = auto.pastAsked?.(`${start} ${day}.${month + 1}.${year}?`, NOW)
      expect(dotted).toEqual(read)
    }),
  )
})

test.each([
  ['What was the port in Feb 2025?', '2025-02-01', '2025-03-01'],
  ['What was the port in Sept?', '2025-09-01', '2025-10-01'],
  ['Who was the cook in spring 2024?', '2024-01-01', '2025-01-01'],
  ['Welcher Port war es im Feb 2025?', '2025-02-01', '2025-03-01'],
  ['Wo saß das Team am 3. Mai 2025?', '2025-05-03', '2025-05-04'],
  ['Où était le bureau en févr. 2025 ?', '2025-02-01', '2025-03-01'],
  ['¿Dónde estaba la oficina el 3 de mayo de 2025?', '2025-05-03', '2025-05-04'],
  ['¿Dónde estaba la oficina en 2024?', '2024-01-01', '2025-01-01'],
  ['Onde era o escritório em 2024?', '2024-01-01', '2025-01-01'],
  ["Dov'era l'ufficio nel 2024?", '2024-01-01', '2025-01-01'],
  ['Waar was het kantoor in mrt 2025?', '2025-03-01', '2025-04-01'],
  ['Где был офис в 2024 году?', '2024-01-01', '2025-01-01'],
])('%s asks for its time, abbreviated or in another language', (question, from, to) => {
  expect(auto.pastAsked?.(question, NOW)).toEqual({ from: Date.parse(from), to: Date.parse(to) })
})

test.each([
  'Which service is on port 2025?',
  'Where is the 2025 Riesling stored?',
  'How many bottles of the 2019 vintage are left?',
  'How is the rent compared with January 2025?',
  'Is the team larger than in 2024?',
  'What has changed since March 2025?',
  'Who has led the choir since 2024?',
  'Wie hoch ist die Miete verglichen mit Januar 2025?',
  'Wer leitet den Chor seit 2024?',
  'Qui dirige le chœur depuis 2024 ?',
  '¿Quién dirige el coro desde 2024?',
  'Which of the dec 3 options is used?',
])('%s asks for no time of the past', (question) => {
  expect(auto.pastAsked?.(question, NOW)).toBeUndefined()
})

test.each([
  ['What was the port before March 2025?', '2025-03-01'],
  ['Who led the choir until the end of 2024?', '2024-01-01'],
  ['Wer leitete den Chor vor März 2025?', '2025-03-01'],
  ['Qui dirigeait le chœur avant 2025 ?', '2025-01-01'],
  ['¿Quién dirigía el coro antes de 2025?', '2025-01-01'],
])('%s asks for what was just before %s', (question, day) => {
  const at = Date.parse(day)
  expect(auto.pastAsked?.(question, NOW)).toEqual({ from: at - 1, to: at })
})

test.each([
  ['Who led the choir before Mara Vinn?', { beforeName: ['mara', 'vinn'], lead: 'Who led the choir before' }],
  ['¿Quién dirigía el coro antes Mara?', { beforeName: ['mara'], lead: '¿Quién dirigía el coro antes' }],
  ['What was the plan before Monday?', 'before'],
  ['Where was the choir before the war?', 'before'],
])('%s asks for the one before the name %j', (question, past) => {
  expect(auto.pastAsked?.(question, NOW)).toEqual(past)
})
