import { test } from 'vitest'
import { LONG } from './bound.ts'
import { SUITES } from './suites.ts'

test.each(SUITES)('$title, however long one tries', ({ run }) => run(LONG))
