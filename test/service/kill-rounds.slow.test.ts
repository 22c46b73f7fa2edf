import { testKills } from './helpers/kill-rounds.ts'

testKills(6)
