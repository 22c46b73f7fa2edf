import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { benches } from '../../bench/benches.ts'
import { textOf } from '../../bench/lib/table.ts'
import { temporaryFolder } from '../helpers/memory.ts'

/** A short conversation in LoCoMo's format. */
function conversation(): string {
  const path = join(temporaryFolder(), 'conversation.json')
  const turn = (dia_id: string, text: string) => ({ speaker: 'Ada', dia_id, text })
  const sample = {
    sample_id: 'conv-1',
    conversation: {
      session_1: [turn('D1:1', 'I adopted a grey parrot last week.'), turn('D1:2', 'The kitchen is green.')],
      session_1_date_time: '1:56 pm on 8 May, 2023',
    },
    qa: [{ question: 'Who adopted a grey parrot?', category: 4, evidence: ['D1:1'] }],
  }
  writeFileSync(path, JSON.stringify([sample]))
  return path
}

/** A folder with one short chat in BEAM's format. */
function chats(): string {
  const folder = temporaryFolder()
  const chat = join(folder, 'chats/100K/1')
  mkdirSync(join(chat, 'probing_questions'), { recursive: true })
  const turn = [
    {
      id: 0,
      role: 'user',
      time_anchor: 'March-15-2024',
      content: 'I adopted a grey parrot last week. ->-> 1,1',
    },
    { id: 1, role: 'assistant', content: 'Parrots like company; let it out of its cage every day.' },
  ]
  const questions = {
    abstention: [{ question: 'What is my brother called?' }],
    knowledge_update: [{ question: 'Which bird did I adopt?', source_chat_ids: { original_info: [0] } }],
  }
  writeFileSync(join(chat, 'chat.json'), JSON.stringify([{ batch_number: 1, turns: [turn] }]))
  writeFileSync(join(chat, 'probing_questions/probing_questions.json'), JSON.stringify(questions))
  return folder
}

/** A folder where nothing can be installed, whatever the network: it is a file. */
function noFolder(): string {
  const path = join(temporaryFolder(), 'file')
  writeFileSync(path, '')
  return path
}

/** Benches at small sizes. `FILE` stands for the conversation, `CHATS` for the folder of a chat, `NOWHERE` for a folder that cannot be filled. */
const CASES = [
  'locomo --data FILE --ablate windows',
  'chats --data CHATS --chats 1',
  'unknown',
  'capture',
  'paraphrases',
  'edges',
  'confidence --data FILE',
  'feedback --data FILE',
  'again',
  'past',
  'lifecycle --seeds 1 --sessions 2',
  'lifecycle --seeds 1 --sessions 2 --world traced',
  'lifecycle --seeds 1 --sessions 2 --world strategies-pay',
  'speed --only engine,dream --sizes 100 --dream-sizes 0 --dreamt 20 --runs 1',
  'peers --only elfmem,mem0,fts5 --cache NOWHERE --parts speed --sizes 40',
]

test.each(CASES)('the bench %s runs, and its tables can be made from its JSON', async (command) => {
  const [name, ...args] = command.split(' ')
  const bench = benches.find((each) => each.name === name)!
  const places: Readonly<Record<string, () => string>> = {
    FILE: conversation,
    CHATS: chats,
    NOWHERE: noFolder,
  }
  const own = args.map((arg) => places[arg]?.() ?? arg)
  const { values } = parseArgs({ args: own, options: bench.flags, strict: true })
  const data = JSON.parse(JSON.stringify(await bench.run(values, () => {})))
  const report = textOf(bench.present(data as never))
  expect(report).not.toBe('')
  expect(report).not.toMatch(/NaN|undefined/)
})
