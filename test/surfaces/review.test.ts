import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

const HIDDEN = 'Prices \u202erise\u202c in \u001b[31mMay\u001b[0m.'

/** A memory with a contradiction and a proposal. */
async function household() {
  const home = temporaryDirectory()
  for (const hour of ['ten', 'eleven'])
    await elfmem(['remember', `The ferry to Brannoch leaves at ${hour} on weekdays.`], { home })
  await elfmem(['propose', '--kind', 'value', '--content', HIDDEN, '--as', 'agent'], { home })
  await elfmem(['dream'], { home })
  return { home }
}

/** Sits at a terminal and types these; then input ends. */
function typing(...said: readonly string[]) {
  const left = [...said]
  return { tty: true, columns: 80, env: { NO_COLOR: '1' }, answer: async () => left.shift() ?? '' }
}

const listed = async (home: string) =>
  JSON.parse((await elfmem(['decisions', '--json'], { home })).out).total as number

test('on a terminal status and dream end with a line when decisions wait', async () => {
  const { home } = await household()
  const last = ({ out }: { readonly out: string }) => out.trimEnd().split('\n').at(-1)
  const ask = async (command: string, env: Readonly<Record<string, string>> = {}) =>
    last(await elfmem([command], { home, tty: true, env: { NO_COLOR: '1', ...env } }))
  expect(await ask('status')).toBe('2 decisions wait for you: elfmem review')
  expect(await ask('dream')).toBe('2 decisions wait for you: elfmem review')
  const screen = { DISPLAY: ':0' }
  expect(await ask('status', screen)).toBe('2 decisions wait for you: elfmem dashboard review')
  expect(await ask('status', { ...screen, SSH_TTY: '/dev/pts/1' })).toBe(
    '2 decisions wait for you: elfmem review',
  )
  const waits = 'decisions wait for you'
  for (const flags of [[], ['--json']])
    expect((await elfmem(['status', ...flags], { home })).out).not.toContain(waits)
  expect((await elfmem(['status', '--json'], { home, tty: true })).out).not.toContain(waits)
})

test('review shows one after the other with the words that differ in brackets, and does what is typed', async () => {
  const { home } = await household()
  const { out, code } = await elfmem(['review'], { home, ...typing('j', 'b', 'q') })
  expect(code).toBe(0)
  expect(out).toMatch(/1 of 2 {2}proposal[\s\S]*2 of 2 {2}contradiction/)
  expect(out).toContain('leaves at [ten] on weekdays.')
  expect(out).toContain('leaves at [eleven] on weekdays.')
  expect(out).toContain('1 decision made; 1 decision left.')
  expect(await listed(home)).toBe(1)
})

test('nothing is decided by Enter, by keys that mean nothing, or when input ends', async () => {
  const { home } = await household()
  const { out } = await elfmem(['review'], { home, ...typing('x', '', 'y', 'j', '', '') })
  expect(out).toContain('x is none of a, c, r, j, k, w, u and q.')
  expect(out).toContain('Nothing was decided; 2 decisions left.')
  expect(await listed(home)).toBe(2)
})

test('a proposal is accepted by yes alone, and its words are harmless', async () => {
  const { home } = await household()
  const refused = await elfmem(['review'], { home, ...typing('a', 'y', 'q') })
  expect(refused.out).toContain('Nothing was decided.')
  expect(refused.out).toContain('Prices rise in May.')
  for (const sign of ['\u202e', '\u001b']) expect(refused.out).not.toContain(sign)
  const accepted = await elfmem(['review'], { home, ...typing('a', 'yes', 'q') })
  expect(accepted.out).toContain('says it in your name.')
  expect(await listed(home)).toBe(1)
})

test('a refusal has a reason that the agent reads', async () => {
  const { home } = await household()
  await elfmem(['review'], { home, ...typing('r', 'Not a value.', 'q') })
  const again = ['propose', '--kind', 'value', '--content', HIDDEN, '--as', 'agent']
  expect((await elfmem(again, { home })).out).toContain('The answer: Not a value.')
})

test('u takes the last decision back and shows it again', async () => {
  const { home } = await household()
  const { out } = await elfmem(['review'], { home, ...typing('j', '1', 'u', 'q') })
  expect(out).toContain('is archived')
  expect(out).toContain('undone')
  expect(out.match(/2 of 2/g)).toHaveLength(2)
  expect(await listed(home)).toBe(2)
})

test('an agent that types a choice is refused, and the decision stays', async () => {
  const { home } = await household()
  const { err } = await elfmem(['review', '--as', 'agent'], { home, ...typing('j', '1', 'q') })
  expect(err).toContain('decide is for the owner')
  expect(await listed(home)).toBe(2)
})

test('away from a terminal review lists what waits and how to decide, and JSON is the list', async () => {
  const { home } = await household()
  const { out } = await elfmem(['review'], { home })
  expect(out).toContain('--choice first, second, both, merge')
  expect(out).toContain('Decide with: elfmem decide ID --choice NAME')
  const [id] = /contradiction:\w+:\w+/.exec(out) ?? []
  await elfmem(['decide', id!, '--choice', 'both'], { home })
  const { out: json } = await elfmem(['review', '--json', '--kind', 'proposal'], { home })
  expect(JSON.parse(json).decisions).toMatchObject([{ kind: 'proposal', change: { field: 'content' } }])
  expect(await listed(home)).toBe(1)
})

test('no line of a card is wider than the terminal, and a long text leaves room for the choices', async () => {
  const home = temporaryDirectory()
  const long = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ')
  for (const end of ['one', 'two']) await elfmem(['remember', `${long} ${'x'.repeat(150)} ${end}`], { home })
  await elfmem(['dream'], { home })
  const { out } = await elfmem(['review'], { home, ...typing('q'), columns: 60 })
  const lines = out.split('\n')
  expect(lines.every((line) => line.length <= 60)).toBe(true)
  expect(out).toContain('w shows all')
  expect(out).toContain('[two]')
  expect(lines.length).toBeLessThanOrEqual(26)
})

test('a card fits a terminal of 60 by 20, and says both sides and each choice', async () => {
  const home = temporaryDirectory()
  const rest = 'and is restarted every night at three by the cron job of the platform team.'
  for (const port of [4210, 4311])
    await elfmem(['remember', `The staging server listens on port ${port} ${rest}`], { home })
  await elfmem(['dream'], { home })
  const { out } = await elfmem(['review'], { home, ...typing('q'), columns: 60, rows: 20 })
  const card = out.slice(1, out.indexOf('\nNothing')).split('\n')
  expect(card.length).toBeLessThan(20)
  expect(card[0]).toContain('1 of 1  contradiction')
  for (const words of ['[4210]', '[4311]', '1 Keep the first', 'b Both hold', 'm Merge', 'q end'])
    expect(card.join('\n')).toContain(words)
})
