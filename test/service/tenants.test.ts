import { Agent } from 'node:http'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { respell, snakeCase } from '../../src/adapters/project/spelling.ts'
import { itemRecords } from '../../src/operations/items/records.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { settle } from '../../src/operations/recall/settle.ts'
import { table } from '../../src/operations/table.ts'
import { namesNoPlace } from '../../src/surfaces/dashboard/served.ts'
import { CALLS, type Lived } from '../dashboard/helpers/lived.ts'
import { hasPostgres } from '../helpers/postgres.ts'
import { asClient, callOver, send, serveHttp } from '../mcp/helpers/http.ts'
import { type Served, serve } from '../postgres/served.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

/** Every secret of the memory of Ann has this in it, and nothing else has. */
const MARK = /xqz/i

const ITEMS = Object.values(itemRecords) as unknown as readonly Operation[]
const OPERATIONS = [...(Object.values(table) as readonly Operation[]), settle as Operation, ...ITEMS].filter(
  namesNoPlace,
)

/** Calls that name blocks, items and words, for every operation. */
const INPUTS: Readonly<Record<string, (lived: Lived) => object>> = {
  ...CALLS,
  rememberMany: () => ({ blocks: [{ content: 'The gate is green.', tags: ['gate'] }] }),
  learnDocument: () => ({ document: '# Gates\n\nThe west gate is green.' }),
  export: () => ({ format: 'jsonl' }),
  reembed: () => ({}),
  guide: () => ({ name: 'recall' }),
  settle: ({ ids }) => ({
    ...{
      conversation: 'c',
      message: 'm',
      asked: 'which gate',
      did: [],
      answer: 'It is green.',
      reply: 'No.',
    },
    blocks: [{ id: ids[0], content: 'The gate is green.' }],
  }),
  listItems: () => ({ space: 'notes', namespace: [] }),
  listNamespaces: () => ({ space: 'notes' }),
  readItems: () => ({ space: 'notes', places: [{ namespace: ['own'], key: 'tea' }] }),
  searchItems: () => ({ space: 'notes', namespace: ['own'], query: 'gate' }),
  writeItems: () => ({ space: 'notes', writes: [{ namespace: ['own'], key: 'tea', value: { at: 'four' } }] }),
}

/** Operations that name one block, which is not there for anybody else. */
const OF_ONE = ['show', 'edit', 'connect', 'forget', 'restore', 'resolve', 'erase']

let postgres: Promise<Served> | undefined
afterAll(async () => (await postgres)?.end())

const PLACES = [
  { kind: 'files', isThere: true, flags: async () => ['--memories', temporaryDirectory()] },
  {
    kind: 'PostgreSQL',
    isThere: hasPostgres,
    flags: async () => {
      postgres ??= serve()
      return ['--store', (await postgres).database.worker]
    },
  },
].filter(({ isThere }) => isThere)

/** A service with a memory of Ann, who has secrets, and one of Ben. */
async function twoTenants(place: (typeof PLACES)[number]) {
  const flags = await place.flags()
  const at = flags.at(-1)?.replace(/^.*@/, '') ?? ''
  const home = temporaryDirectory()
  const own = Math.random().toString(36).slice(2, 8)
  const token = async (name: string, memory: string, ...rights: readonly string[]) => {
    const whose = ['--name', `${name}-${own}`, '--memory', `${memory}-${own}`]
    const { code, out, err } = await elfmem(
      ['tokens', 'add', ...whose, '--tools', 'all', ...rights, ...flags],
      { home },
    )
    if (code !== 0) throw new Error(err)
    return out.trim()
  }
  const tokens = {
    ann: await token('xqzann', 'xqzmemory', '--as', 'owner'),
    agent: await token('agent', 'xqzmemory'),
    reader: await token('reader', 'xqzmemory', '--as', 'reader'),
    elsewhere: await token('elsewhere', 'xqzmemory', '--scope', 'public'),
    ben: await token('ben', 'plain', '--as', 'owner'),
    stranger: await token('stranger', 'plain'),
  }
  const served = await serveHttp(home, flags)
  const url = new URL(served.url).origin
  const post = async (
    name: string,
    as: keyof typeof tokens,
    input: unknown,
    agent: Agent | false = false,
  ) => {
    const asked = { path: `/v1/${name}`, headers: asClient(tokens[as]), body: JSON.stringify(input), agent }
    const { status, headers, body: text } = await send(url, asked)
    return { status, text, all: JSON.stringify(headers) + text, body: JSON.parse(text) }
  }
  const get = (path: string, as: keyof typeof tokens) =>
    send(url, { method: 'GET', path, headers: asClient(tokens[as]) })
  /** Returns what the stream of a memory's log begins with. */
  const watched = async (as: keyof typeof tokens) => {
    const headers = { authorization: `Bearer ${tokens[as]}`, 'last-event-id': '0' }
    const { body } = await fetch(`${url}/v1/watch`, { headers })
    let heard = ''
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += part
      if (heard.split('data:').length > 5) break
    }
    return heard
  }
  const over = (name: string, as: keyof typeof tokens, input: object) =>
    callOver(served.url, tokens[as], snakeCase(name), respell(input, {}, snakeCase) as object)

  /** Fills a memory, and returns the ids of its blocks. */
  const fill = async (as: keyof typeof tokens, mark: string): Promise<Lived> => {
    const blocks = Array.from({ length: 10 }, (_, n) => ({
      content: `The ${mark}gate ${n} was painted by worker ${n * 7} in the year ${1900 + n * 9}`,
      ...{ tags: [`${mark}tag`], category: `${mark}kind`, source: `${mark}source`, cue: `${mark}cue ${n}` },
    }))
    const halves = [{ blocks: blocks.slice(0, 5) }, { blocks: blocks.slice(5), scope: `${mark}scope` }]
    const ids: string[] = []
    for (const half of halves) {
      const { results } = (await post('rememberMany', as, half)).body
      ids.push(...results.map(({ blockId }: { blockId: string }) => blockId))
    }
    await post('dream', as, {})
    await post('recall', as, { query: `which ${mark}gate was painted by ${mark}worker` })
    await post('propose', as, { kind: 'value', content: `I keep the ${mark}gate shut` })
    const value = { [`${mark}field`]: `${mark}value` }
    const texts = [{ content: `The ${mark}item is on the shelf` }]
    const writes = [{ namespace: [`${mark}space`], key: `${mark}key`, value, texts }]
    expect((await post('writeItems', as, { space: 'notes', writes })).status).toBe(200)
    const { blockId: waiting } = (await post('remember', as, { content: `A ${mark}gate waits` })).body
    expect(new Set([...ids, waiting]).size).toBe(11)
    return { ids, waiting }
  }
  const lived = await fill('ann', 'xqz')
  const seenByAnn = async () => {
    const asked = [...lived.ids, lived.waiting].map((blockId) =>
      post('show', 'ann', { blockId, edgeLimit: 50 }),
    )
    const place = { namespace: ['xqzspace'], key: 'xqzkey' }
    const items = await post('readItems', 'ann', { space: 'notes', places: [place] })
    const all = [...(await Promise.all(asked)), items]
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    return all.map(({ body }) => body.block ?? body.items)
  }
  return { ...served, at, url, tokens, post, get, over, watched, lived, fill, seenByAnn }
}

const called = (name: string, lived: Lived) => INPUTS[name]?.(lived) ?? {}

test.each(PLACES)(
  'nothing of a memory in $kind is told to another token, whatever it calls',
  async (place) => {
    const { post, get, over, watched, lived, seenByAnn, url, said } = await twoTenants(place)
    const before = await seenByAnn()
    for (const as of ['ben', 'stranger', 'elsewhere'] as const) {
      // A holder of the memory may know its name.
      const secret = as === 'elsewhere' ? /xqz(?!memory)/i : MARK
      for (const { name } of OPERATIONS) {
        const input = called(name, lived)
        const told = await post(name, as, input)
        expect(told.all, `${as} ${name}`).not.toMatch(secret)
        expect(told.status, `${as} ${name} ${told.text}`).toBeLessThan(500)
        // An agent may be refused before the block is looked for.
        const codes = as === 'ben' ? ['NOT_FOUND'] : ['NOT_FOUND', 'OWNER_ONLY']
        if (OF_ONE.includes(name)) expect(codes, `${as} ${name}`).toContain(told.body.code)
        expect(JSON.stringify(await over(name, as, input)), `MCP ${as} ${name}`).not.toMatch(secret)
      }
      // A scoped holder of the memory may know its name.
      for (const path of ['/v1/memory', '/v1/settings', '/v1/openapi.json', '/', '/metrics'])
        expect((await get(path, as)).body, path).not.toMatch(secret)
      expect(await watched(as), `watch ${as}`).not.toMatch(secret)
    }
    expect(await seenByAnn()).toEqual(before)
    const lines = said()
      .split('\n')
      .filter((line) => /"(ben|stranger|elsewhere)-/.test(line))
    expect(lines.length).toBeGreaterThan(100)
    expect(lines.join('\n')).not.toMatch(MARK)
    expect((await send(url, { method: 'GET', path: '/metrics' })).body).not.toMatch(MARK)
  },
)

test.each(PLACES)(
  'a token of lower capability does in $kind what it may, and is refused everything else',
  async (place) => {
    const { post, over, lived } = await twoTenants(place)
    for (const as of ['agent', 'reader'] as const)
      for (const operation of OPERATIONS) {
        const { name, needs } = operation
        const mayNot = needs === 'owner' || (as === 'reader' && needs === 'agent')
        if (!mayNot) continue
        const told = await post(name, as, called(name, lived))
        expect(told, `${as} ${name}`).toMatchObject({
          status: 403,
          body: { code: expect.stringMatching(/OWNER_ONLY|TOOL_NOT_LISTED/) },
        })
        expect(told.all, `${as} ${name}`).not.toMatch(MARK)
        const { result } = await over(name, as, called(name, lived))
        expect(result?.isError ?? true, `MCP ${as} ${name}`).toBe(true)
      }
  },
)

test.each(PLACES)('no answer in $kind says where on its machine a memory is', async (place) => {
  const { at, post, get, over, fill, tokens, lived } = await twoTenants(place)
  const own = { ...lived, ids: ['ffffffff'], waiting: 'ffffffff' }
  const told: string[] = []
  const walk = async (as: keyof typeof tokens, of: Lived) => {
    for (const { name } of OPERATIONS) {
      told.push(`${as} ${name} ${(await post(name, as, called(name, of))).text}`)
      told.push(`MCP ${as} ${name} ${JSON.stringify(await over(name, as, called(name, of)))}`)
    }
    for (const path of ['/v1/memory', '/v1/settings', '/v1/export'])
      told.push(`${as} ${path} ${(await get(path, as)).body}`)
  }
  // First there is no memory yet.
  told.push((await post('recall', 'ben', { query: 'tea' })).text, (await post('backup', 'ben', {})).text)
  await walk('stranger', own)
  const filled = await fill('ben', '')
  for (const as of ['ben', 'stranger'] as const) await walk(as, filled)
  expect(at.length).toBeGreaterThan(5)
  expect(told.filter((each) => each.includes(at))).toEqual([])
  const { status, body } = await post('status', 'ben', {})
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { location: expect.stringMatching(/^plain-/) },
  })
})

test.each(PLACES)('an owner alone gets all that a memory in $kind holds as lines', async (place) => {
  const { get, lived } = await twoTenants(place)
  const { status, body } = await get('/v1/export', 'ann')
  expect(status).toBe(200)
  const lines = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({ format: expect.any(String) })
  expect(lines.flatMap(({ id }) => id ?? [])).toEqual(expect.arrayContaining([...lived.ids]))
  for (const as of ['agent', 'reader', 'elsewhere'] as const)
    expect((await get('/v1/export', as)).status).toBe(403)
})

test.each(PLACES)('the call of one token in $kind is answered before 200 calls of another', async (place) => {
  const { post } = await twoTenants(place)
  // A client that calls now and then keeps its connection; new ones are taken in the order in which they came.
  const [agent, flooding] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true, maxSockets: 100 })]
  for (const each of [agent, flooding]) onTestFinished(() => each.destroy())
  await post('remember', 'ben', { content: 'The pump is loud' }, agent)
  let answered = 0
  const flood = Array.from({ length: 200 }, async (_, n) => {
    const content = `The xqzpump ${n} runs at ${n * 17} turns`
    const { status } = await post('remember', 'ann', { content }, flooding)
    answered += 1
    return status
  })
  // The first answer shows that the flood has come in.
  await Promise.race(flood)
  expect((await post('remember', 'ben', { content: 'The pump is quiet' }, agent)).status).toBe(200)
  expect(answered).toBeLessThan(100)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([200]))
})
