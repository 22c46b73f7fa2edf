import { expect, onTestFinished, test } from 'vitest'
import { startService, type TestService } from './helpers/service.ts'

/** Opens a stream of events, and returns what reads it. */
async function watching(
  { url }: TestService,
  token: string,
  query = '',
  headers: Readonly<Record<string, string>> = {},
) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const authorization = `Bearer ${token}`
  const { signal } = leaving
  const answer = await fetch(`${url}/v1/watch${query}`, { headers: { authorization, ...headers }, signal })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    answer,
    leave: () => leaving.abort(),
    /** Resolves to all that came once it fits; to what came before the end if the stream ends. */
    until: async (part: string) => {
      while (!text.includes(part)) {
        const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }))
        if (done) return `${text} [ended]`
        text += value
      }
      return text
    },
  }
}

test('a watcher of a scope hears of no other, whatever it asks for', async () => {
  const service = await startService()
  const [mine, all] = [service.token('mine', { scope: 'mine' }), service.token('all')]
  const stream = await watching(service, mine)
  await service.post('/v1/remember', all, { content: 'The vault of Borealis', scope: 'theirs' })
  await service.post('/v1/remember', mine, { content: 'The lighthouse' })
  expect(await stream.until('lighthouse')).not.toContain('Borealis')
  expect((await service.get('/v1/watch?scope=theirs', mine)).body).toMatchObject({ code: 'OUT_OF_SCOPE' })
  const narrowed = await watching(service, all, '?scope=mine', { 'last-event-id': '0' })
  expect(await narrowed.until('lighthouse')).not.toContain('Borealis')
})

test('a stream ends when its token is revoked, and when the service ends', async () => {
  const service = await startService()
  const [gone, stays] = [service.token('gone'), service.token('stays')]
  const [first, second] = [await watching(service, gone), await watching(service, stays)]
  service.revoke(gone)
  expect(await first.until('never said')).toContain('[ended]')
  expect((await service.get('/v1/watch', gone)).status).toBe(401)
  const ended = second.until('never said')
  await service.close()
  expect(await ended).toContain('[ended]')
})
