import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

type Row = readonly [one: string, other: string, question: string, ofOther: string]

/** Rows of texts with bars between them; a row goes on in a line that begins with one. */
const rowsOf = (lines: string): readonly Row[] =>
  lines
    .trim()
    .split(/\n(?! *\|)/)
    .map((line) => line.split('|').map((text) => text.trim()) as unknown as Row)

/** Facts that changed, with no word of change: the older, the newer, and the question. */
const CHANGES: Readonly<Record<string, readonly Row[]>> = {
  'an office': rowsOf(`
    Standup is at 9:30 | Standup is at 10:15 | When is standup?
    The printer is on floor 2 | The printer is on floor 5 | Where is the printer?
    Expense claims go to Petra | Expense claims go to Milan | Who gets the expense claims?
    Parking costs staff 4 euros a day | Parking costs staff 5 euros a day | parking fee for staff
    Lunch costs 6 euros | Lunch costs 7.50 euros | How much is lunch?
    Rosa sits on the third floor | Rosa sits on the first floor | Which floor does Rosa sit on?
    The head of sales is Iva Torn | The head of sales is Rolf Beck | Who is the head of sales?
    Die Sprechstunde ist um 14 Uhr | Die Sprechstunde ist um 16 Uhr | Wann ist die Sprechstunde?
    La réunion a lieu en salle Monet | La réunion a lieu en salle Renoir | Où a lieu la réunion ?
    El becario se sienta en el despacho 12 | El becario se sienta en el despacho 15 | ¿Dónde se sienta el becario?
  `),
  'a kitchen': rowsOf(`
    The bread bakes for 35 minutes | The bread bakes for 42 minutes | How long does the bread bake?
    Our eggs come from the Brandl farm | Our eggs come from the Huber farm | Where do we get our eggs?
    We buy our fish from Marino | We buy our fish from Haddon | Where do we buy our fish?
    Dinner starts at six | Dinner starts at half past seven | When does dinner start?
    Tomas washes the pans | Leonie washes the pans | Who washes the pans?
    Deliveries arrive at the back door | Deliveries arrive at the side gate | Where do deliveries arrive?
    The menu has 14 dishes | The menu has 9 dishes | How many dishes does the menu have?
    Der Teig ruht 30 Minuten | Der Teig ruht 45 Minuten | Wie lange ruht der Teig?
    Le couteau à pain est dans le tiroir | Le couteau à pain est sur le mur | Où est le couteau à pain ?
    El aceite cuesta 8 euros | El aceite cuesta 11 euros | ¿Cuánto cuesta el aceite?
  `),
  'a hospital ward': rowsOf(`
    Visiting hours are from 2 to 4 | Visiting hours are from 3 to 6 | When are visiting hours?
    Mr. Olsen gets 5 mg of ramipril | Mr. Olsen gets 2.5 mg of ramipril | How much ramipril does Mr. Olsen get?
    Mrs. Chen is in bed 7 | Mrs. Chen is in bed 11 | Which bed is Mrs. Chen in?
    Blood samples are collected at 6 | Blood samples are collected at 7:30 | When are blood samples collected?
    The crash cart stands by room 4 | The crash cart stands by the lift | Where does the crash cart stand?
    The pharmacy extension is 4417 | The pharmacy extension is 4520 | What is the pharmacy extension?
    Dr. Wirth is on call this week | Dr. Amsel is on call this week | Who is on call this week?
    Die Visite beginnt um acht | Die Visite beginnt um neun | Wann beginnt die Visite?
    La pompe de la chambre 6 est réglée sur 40 | La pompe de la chambre 6 est réglée sur 55
      | Sur combien est réglée la pompe de la chambre 6 ?
    La señora Vidal toma 20 mg de omeprazol | La señora Vidal toma 40 mg de omeprazol
      | ¿Cuánto omeprazol toma la señora Vidal?
  `),
  'a software project': rowsOf(`
    The API rate limit is 100 requests per minute | The API rate limit is 250 requests per minute
      | What is the API rate limit?
    CI runs on Jenkins | CI runs on Buildkite | What does CI run on?
    Releases are cut by Noor | Releases are cut by Viktor | Who cuts releases?
    The main branch needs one approval | The main branch needs two approvals | How many approvals does main need?
    Logs are kept for 14 days | Logs are kept for 90 days | How long are logs kept?
    The linter of the project is eslint | The linter of the project is oxlint | Which linter does the project use?
    The docs live in the wiki | The docs live in the monorepo | Where do the docs live?
    Das Backup läuft um 2 Uhr | Das Backup läuft um 4 Uhr | Wann läuft das Backup?
    Le serveur de test utilise Debian | Le serveur de test utilise Alpine
      | Quel système utilise le serveur de test ?
    La base de datos es MySQL | La base de datos es MariaDB | ¿Cuál es la base de datos?
  `),
  'a reason': rowsOf(`
    Nora drinks oat milk | Nora refuses oat milk because it upsets her | Is oat milk right for Nora?
    Otto enjoys night shifts | Otto hates night shifts since his son was born | Are night shifts fine with Otto?
    The cat sleeps in the kitchen | The cat sleeps in the attic because the stove is out | Where does the cat sleep?
    Edda mag Rosinen | Edda meidet Rosinen, weil sie kleben | Sind Rosinen etwas für Edda?
  `),
}

/** Facts that both hold and look alike: the two, and a question for each. */
const PAIRS: Readonly<Record<string, readonly Row[]>> = {
  'one and many': rowsOf(`
    The reader times out after 5 seconds | Reading times out after 9 seconds | When does the reader time out?
      | When does reading time out?
    The printers are in room 4 | The printing paper is in room 9 | Where are the printers? | Where is the printing paper?
    The news desk is on floor 2 | The new desk is on floor 7 | Where is the news desk? | Where is the new desk?
  `),
  'an office': rowsOf(`
    Ana's desk is 4 | Ben's desk is 7 | Which desk is Ana's? | Which desk is Ben's?
    Standup of team Red is at 9:30 | Standup of team Blue is at 10:15
      | When is the standup of team Red? | When is the standup of team Blue?
    The colour printer is on floor 2 | The label printer is on floor 5
      | Where is the colour printer? | Where is the label printer?
    The guest wifi network is kestrel-77 | The staff wifi network is heron-41
      | What is the guest wifi network? | What is the staff wifi network?
    Visitors park in bay C | Couriers park in bay F | Where do visitors park? | Where do couriers park?
    Lunch costs 6 euros | Coffee costs 1.20 euros | How much is lunch? | How much is coffee?
    Rosa sits on the third floor | Rohan sits on the first floor
      | Which floor does Rosa sit on? | Which floor does Rohan sit on?
    Der Schlüssel zum Archiv hängt am Empfang | Der Schlüssel zum Keller hängt im Büro
      | Wo hängt der Schlüssel zum Archiv? | Wo hängt der Schlüssel zum Keller?
    Le bureau de Claire est le 12 | Le bureau de Marc est le 15
      | Quel est le bureau de Claire ? | Quel est le bureau de Marc ?
    La impresora de la planta 1 usa tinta negra | La impresora de la planta 2 usa tinta azul
      | ¿Qué tinta usa la impresora de la planta 1? | ¿Qué tinta usa la impresora de la planta 2?
  `),
  'a kitchen': rowsOf(`
    The white bread bakes for 35 minutes | The rye bread bakes for 55 minutes
      | How long does the white bread bake? | How long does the rye bread bake?
    The flour is in the blue tin | The sugar is in the glass jar | Where is the flour? | Where is the sugar?
    We buy our fish from Marino | We buy our bread from Haddon
      | Where do we buy our fish? | Where do we buy our bread?
    The top oven runs at 220 degrees | The lower oven runs at 160 degrees
      | At what temperature does the top oven run? | At what temperature does the lower oven run?
    Lunch starts at noon | Dinner starts at six | When does lunch start? | When does dinner start?
    Oma Ilse likes her tea black | Oma Ruth likes her tea with milk
      | How does Oma Ilse like her tea? | How does Oma Ruth like her tea?
    The lunch menu has 6 dishes | The evening menu has 9 dishes
      | How many dishes does the lunch menu have? | How many dishes does the evening menu have?
    Der Brotteig ruht 30 Minuten | Der Nudelteig ruht 45 Minuten
      | Wie lange ruht der Brotteig? | Wie lange ruht der Nudelteig?
    Le sel est dans le placard | Le poivre est dans le tiroir | Où est le sel ? | Où est le poivre ?
    El aceite de oliva cuesta 8 euros | El aceite de girasol cuesta 3 euros
      | ¿Cuánto cuesta el aceite de oliva? | ¿Cuánto cuesta el aceite de girasol?
  `),
  'a hospital ward': rowsOf(`
    Mrs. Chen is in bed 7 | Mr. Chen is in bed 11 | Which bed is Mrs. Chen in? | Which bed is Mr. Chen in?
    Mr. Olsen gets 5 mg of ramipril | Mr. Olsen gets 20 mg of omeprazole
      | How much ramipril does Mr. Olsen get? | How much omeprazole does Mr. Olsen get?
    The night nurse is Paulo | The day nurse is Edda | Who is the night nurse? | Who is the day nurse?
    Ward 2 has 18 beds | Ward 5 has 24 beds | How many beds does ward 2 have? | How many beds does ward 5 have?
    Pump A is set to 40 | Pump B is set to 55 | What is pump A set to? | What is pump B set to?
    The left drain is removed on Monday | The right drain is removed on Thursday
      | When is the left drain removed? | When is the right drain removed?
    Visiting hours in summer are from 2 to 4 | Visiting hours in winter are from 3 to 6
      | When are visiting hours in summer? | When are visiting hours in winter?
    Zimmer 3 hat zwei Betten | Zimmer 8 hat vier Betten
      | Wie viele Betten hat Zimmer 3? | Wie viele Betten hat Zimmer 8?
    Le docteur Petit passe à 8 heures | Le docteur Grand passe à 10 heures
      | À quelle heure passe le docteur Petit ? | À quelle heure passe le docteur Grand ?
    El turno de mañana empieza a las 7 | El turno de noche empieza a las 22
      | ¿A qué hora empieza el turno de mañana? | ¿A qué hora empieza el turno de noche?
  `),
  'a software project': rowsOf(`
    The staging port is 8080 | The production port is 9090
      | What is the staging port? | What is the production port?
    The API rate limit is 100 requests per minute | The upload rate limit is 10 requests per minute
      | What is the API rate limit? | What is the upload rate limit?
    Releases are cut by Noor | Hotfixes are cut by Viktor | Who cuts releases? | Who cuts hotfixes?
    The frontend is written in Vue | The backend is written in Go
      | What is the frontend written in? | What is the backend written in?
    Logs are kept for 14 days | Traces are kept for 3 days | How long are logs kept? | How long are traces kept?
    Service orders uses Redis 6 | Service carts uses Redis 7
      | Which Redis does service orders use? | Which Redis does service carts use?
    The connect timeout is 5 seconds | The read timeout is 30 seconds
      | How long is the connect timeout? | How long is the read timeout?
    Der Testserver läuft unter Debian | Der Mailserver läuft unter Alpine
      | Worunter läuft der Testserver? | Worunter läuft der Mailserver?
    La branche stable est gelée le lundi | La branche beta est gelée le jeudi
      | Quand la branche stable est-elle gelée ? | Quand la branche beta est-elle gelée ?
    La base de datos de pruebas es MySQL | La base de datos de ventas es MariaDB
      | ¿Cuál es la base de datos de pruebas? | ¿Cuál es la base de datos de ventas?
  `),
}

/** A memory that took in notes, those of the second list a day after those of the first by their dates. */
async function memoryOf(
  lists: readonly (readonly string[])[],
  { dreams, waitingMilliseconds = 0 }: { readonly dreams: number; readonly waitingMilliseconds?: number },
) {
  const settings = { recall: { waitingMilliseconds } }
  const { memory, clock } = await openTestMemory({ embedder: miniLm(), settings })
  for (const [week, contents] of lists.entries()) {
    for (const [number, content] of contents.entries())
      await memory.remember({ content, session: `week ${week}, ${number}`, at: `2026-01-1${week}` })
    let waiting = week < dreams
    while (waiting) waiting = (await memory.dream()).inboxRemaining > 0
    clock.advance({ minutes: 1 })
  }
  return async (query: string) => (await memory.recall({ query, reinforce: false })).blocks
}

const WORLDS = Object.keys(CHANGES)

test.each(
  WORLDS.flatMap((world) => [
    [world, 'after a dream', 2] as const,
    [world, 'while the newer waits without a vector', 1] as const,
    [world, 'while both wait without a vector', 0] as const,
  ]),
)(
  'of facts of %s that changed without a word of change the newer comes first, %s',
  async (world, _, dreams) => {
    const changes = CHANGES[world] ?? []
    const ask = await memoryOf([changes.map(([older]) => older), changes.map(([, newer]) => newer)], {
      dreams,
    })
    const wrong: string[] = []
    for (const [older, newer, question] of changes) {
      const contents = (await ask(question)).map(({ content }) => content)
      const [place, behind] = [contents.indexOf(newer), contents.indexOf(older)]
      if (place < 0 || (behind >= 0 && behind < place)) wrong.push(`${question} ${contents.join(' / ')}`)
    }
    expect(wrong).toEqual([])
  },
)

test.each(WORLDS.flatMap((world) => [[world, 'earlier', true] as const, [world, 'later', false] as const]))(
  'of facts of %s that look alike and both hold the one asked for comes first, if it came %s',
  async (...given) => {
    const [world, , isEarlier] = given
    const pairs = PAIRS[world] ?? []
    const asked = pairs.map(([one, , ofOne]) => [one, ofOne] as const)
    const lists = [asked.map(([one]) => one), pairs.map(([, other]) => other)]
    const ask = await memoryOf(isEarlier ? lists : lists.toReversed(), { dreams: 2 })
    const wrong: string[] = []
    for (const [one, question] of asked) {
      const [first] = await ask(question)
      if (first?.content !== one) wrong.push(`${question} ${first?.content}`)
    }
    expect(wrong).toEqual([])
  },
)

test.each(WORLDS.flatMap((world) => [0, 1, 2].map((dreams) => [world, dreams] as const)))(
  'of facts of %s that look alike and both hold none stands under the other, after %i dreams',
  async (world, dreams) => {
    const pairs = PAIRS[world] ?? []
    const ask = await memoryOf([pairs.map(([one]) => one), pairs.map(([, other]) => other)], {
      dreams,
    })
    const hidden: string[] = []
    for (const [one, other, ofOne, ofOther] of pairs)
      for (const { content, versions = [] } of [...(await ask(ofOne)), ...(await ask(ofOther))])
        if (content === one || content === other)
          hidden.push(...versions.map((version) => `${version.content} under ${content}`))
    expect(hidden).toEqual([])
  },
)

test.each([
  ['comes first if it is trusted as much', 'user', undefined, 1],
  ['stays behind what is trusted more', 'tool', undefined, 0],
  ['is as any other once somebody said that both hold', 'user', 'both', 0],
] as const)(
  'of two that say one thing with another value the later %s',
  async (_, sourceClass, keep, first) => {
    const { memory, clock } = await openTestMemory({ embedder: miniLm() })
    const tell = async (content: string, by: 'user' | 'tool') => {
      const { blockId } = await memory.remember({ content, sourceClass: by, session: content })
      clock.advance({ minutes: 1 })
      await memory.dream()
      return blockId
    }
    const ids = [
      await tell('Our eggs come from the Brandl farm', 'user'),
      await tell('Our eggs come from the Huber farm', sourceClass),
    ] as const
    if (keep) await memory.resolve({ a: ids[0], b: ids[1], keep })
    const { blocks } = await memory.recall({ query: 'Where do we get our eggs?', reinforce: false })
    expect(blocks.map(({ id }) => id)).toEqual([ids[first], ids[1 - first]])
  },
)
