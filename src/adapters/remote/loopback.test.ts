import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each([
  'http://localhost:1234/v1',
  'http://LOCALHOST/v1',
  'http://models.localhost/v1',
  'http://127.0.0.1:11434/v1',
  'http://127.255.3.4',
  'http://[::1]:8080/v1',
])('isLoopback of %s is true', (address) => {
  expect(isLoopback(address)).toBe(true)
})

test.each([
  'https://api.openai.com/v1',
  'http://192.168.1.20:1234/v1',
  'http://localhost.example.com/v1',
  'http://notlocalhost/v1',
  'http://127.0.0.1.example.com/v1',
  'http://localhost@example.com/v1',
  'http://[::2]/v1',
  'localhost',
  '',
])('isLoopback of %s is false', (address) => {
  expect(isLoopback(address)).toBe(false)
})
