import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../helpers/postgres.ts'
import { asClient, callOver, send, serveHttp } from '../mcp/helpers/http.ts'
import { type Served, serve } from '../postgres/served.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

/** A place of memories: the flags that name it, and a name that no other test uses. */
interface Place {
  readonly flags: readonly string[]
  readonly name: (memory: string) => string
}

/** A service over a place, and its command line. */
async function open({ flags, name }: Place, more: readonly string[] = []) {
  const home = temporaryDirectory()
  const add = async (memory: string, ...argv: readonly string[]) => {
    const token = ['tokens', 'add', '--name', name(memory), '--memory', name(memory)]
    const { code, out, err } = await elfmem([...token, ...flags, ...argv], { home })
    if (code !== 0) throw new Error(err)
    return out.trim()
  }
  const revoke = (memory: string) => elfmem(['tokens', 'revoke', '--name', name(memory), ...flags], { home })
  const served = await serveHttp(home, [...flags, ...more])
  const url = new URL(served.url).origin
  const post = async (operation: string, token: string, input: object, headers = {}) => {
    const body = JSON.stringify(input)
    const asked = { path: `/v1/${operation}`, headers: { ...asClient(token), ...headers }, body }
    const answer = await send(url, asked)
    return { status: answer.status, body: JSON.parse(answer.body) as Record<string, never> }
  }
  return { ...served, home, url, add, revoke, post }
}

/** Tests what a service promises, wherever its memories are. */
function promises(place: () => Promise<Place>) {
  test('each token opens its own memory, which is there after a restart', async () => {
    const where = await place()
    const service = await open(where)
    const [ann, ben] = [await service.add('ann'), await service.add('ben', '--as', 'reader')]
    const kept = await service.post('remember', ann, { content: 'Tea is at four' })
    expect(kept).toMatchObject({ status: 200, body: { status: 'created' } })
    const recalled = async (token: string) =>
      (await service.post('recall', token, { query: 'when is tea' })).body.blocks
    expect(await recalled(ann)).toMatchObject([{ content: 'Tea is at four' }])
    expect(await recalled(ben)).toEqual([])
    expect((await service.post('remember', ben, { content: 'x y z' })).status).toBe(403)
    const { blockId } = kept.body
    expect((await service.post('show', ben, { blockId })).status).toBe(404)
    expect(
      (await callOver(service.url, ann, 'recall', { query: 'tea' })).result?.structuredContent,
    ).toMatchObject({
      blocks: [{ content: 'Tea is at four' }],
    })
    expect(await service.stop()).toBe(0)
    const again = await open(where)
    expect((await again.post('recall', ann, { query: 'when is tea' })).body.blocks).toMatchObject([
      { content: 'Tea is at four' },
    ])
  })

  test('a call that runs when the service is asked to end is answered', async () => {
    const service = await open(await place())
    const token = await service.add('ann')
    const blocks = Array.from({ length: 500 }, (_, n) => ({ content: `Valve ${n} of hall ${n % 7}` }))
    const running = service.post('rememberMany', token, { blocks })
    // The answer to another call shows that the first one has come in.
    await service.post('status', token, {})
    expect(await service.stop()).toBe(0)
    expect((await running).body).toMatchObject({ created: 500 })
  })
}

describe('a service over a folder', () => {
  promises(async () => {
    const folder = join(temporaryDirectory(), 'memories')
    return { flags: ['--memories', folder], name: (memory) => memory }
  })

  test.each([
    [['--db', 'x.db'], 'contradict'],
    [['--scope', 'x'], '--scope'],
    [['--host', '0.0.0.0'], '--allow-remote'],
    [['--memory-mb', '0'], '--memory-mb'],
  ])('%j is refused', async (flags, said) => {
    const home = temporaryDirectory()
    await expect(serveHttp(home, ['--memories', join(home, 'm'), ...flags])).rejects.toThrow(said)
  })
})

describe.skipIf(!hasPostgres)('a service over PostgreSQL', () => {
  let served: Promise<Served> | undefined
  let tests = 0
  afterAll(async () => (await served)?.end())
  promises(async () => {
    served ??= serve()
    const { worker } = (await served).database
    tests += 1
    const own = `t${tests}`
    return { flags: ['--store', worker], name: (memory) => `${memory}-${own}` }
  })

  test('one memory of a database is served, and nobody is told that its file is missing', async () => {
    served ??= serve()
    const home = temporaryDirectory()
    const flags = ['--db', (await served).database.worker, '--memory', 'alone']
    const { code, out, err } = await elfmem(['tokens', 'add', '--name', 'ann', ...flags], { home })
    expect([code, err]).toEqual([0, expect.any(String)])
    const { url, said } = await serveHttp(home, flags)
    expect((await callOver(url, out.trim(), 'status')).status).toBe(200)
    expect(said()).not.toContain('no memory yet')
  })
})
