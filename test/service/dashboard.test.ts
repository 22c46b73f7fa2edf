import { expect, test } from 'vitest'
import { startService } from './helpers/service.ts'

test("an owner's token is traded for one of a page, which calls, and is told what anybody writes", async () => {
  const service = await startService()
  const [owner, agent] = [service.token('boss', { capability: 'owner' }), service.token('ann')]
  expect((await service.get('/')).text).toContain('<title>elfmem</title>')
  for (const sent of [
    service.post('/api/session', owner),
    service.post('/api/session', '', { code: owner }),
  ]) {
    const traded = await sent
    expect(traded).toMatchObject({
      status: 200,
      body: { hello: { readOnly: false }, token: expect.any(String) },
    })
    const page = String(traded.body.token)
    expect(page).not.toBe(owner)
    expect((await service.post('/api/operations/status', page)).status).toBe(200)
    expect((await service.post('/api/views/settings', page)).body).toHaveProperty('settings')
    // A page's token opens pages alone.
    expect((await service.post('/v1/status', page)).status).toBe(401)
  }
  await service.post('/v1/remember', agent, { content: 'Tea is at four' })
  const asked = { headers: { authorization: `Bearer ${owner}`, 'last-event-id': '0' } }
  const reader = (await fetch(`${service.url}/api/events`, asked))
    .body!.pipeThrough(new TextDecoderStream())
    .getReader()
  let text = ''
  while (!text.includes('Tea is at four')) text += (await reader.read()).value
  await reader.cancel()
  expect(text).toContain('event: hello')
})

test('the token of an agent or a reader opens no page, and one that is revoked ends those it opened', async () => {
  const service = await startService()
  const owner = service.token('boss', { capability: 'owner' })
  for (const token of [service.token('ann'), service.token('eyes', { capability: 'reader' })]) {
    for (const path of ['/api/session', '/api/operations/status', '/api/views/place'])
      expect((await service.post(path, token)).status, path).toBe(403)
    for (const path of ['/', '/memory', '/api/events'])
      expect((await service.get(path, token)).status, path).toBe(403)
    expect((await service.post('/api/session', 'x', { code: token })).status).toBe(401)
  }
  const page = String((await service.post('/api/session', owner)).body.token)
  service.revoke(owner)
  expect((await service.post('/api/operations/status', page)).status).toBe(401)
  expect((await service.post('/api/session', owner)).status).toBe(401)
})
