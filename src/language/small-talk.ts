import { wordSet } from '../block/text.ts'
import { withoutFences } from '../block/visible.ts'

/** Words that say nothing alone and nothing together: consent, thanks, greetings, "go on". Of names and contents there are none. */
const EMPTY_WORDS: ReadonlySet<string> = wordSet(
  [
    'ok okay okey k kk yes yeah yep yup ya no nope nah sure fine good great nice cool perfect excellent awesome super wow',
    'thanks thank thx ty cheers welcome please pls hi hello hey bye goodbye goodnight morning evening',
    'i m you re are it that s is this so to do go on ahead all right alright got see very much a lot and the again sounds looks',
    'makes sense understood noted agreed exactly absolutely definitely indeed of course lol haha hm hmm ah oh np continue',
    'proceed well done let me us my for then now there problem worries',
    'ja nein danke bitte gut super alles klar genau gerne weiter so mach hallo tschüss guten morgen tag abend vielen dank sehr passt',
    'oui non merci beaucoup bien parfait super salut bonjour bonsoir au revoir d accord vas y continue s il te vous plaît',
    'sí si gracias muchas vale bien perfecto hola adiós buenos días buenas por favor de acuerdo sigue continúa claro',
    'sim não obrigado obrigada muito bom ótimo perfeito olá tchau oi beleza certo',
    'sì grazie mille va bene perfetto ciao buongiorno prego certo continua',
    'nee bedankt dank je u wel goed prima hoi dag graag ga door',
    'да нет спасибо большое хорошо отлично привет пока ладно понятно ага дальше',
    '好 好的 谢谢 是 是的 不 可以 嗯 继续 你好 はい いいえ ありがとう うん そうです こんにちは 네 예 아니요 감사합니다 안녕하세요',
  ].join(' '),
)
/** A message with more words than this says something, whatever they are. */
const WORDS_MOST = 8
/** Characters in which so many words stand. */
const READ_MOST = 200
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/**
 * True of a text that says nothing by itself: blank, signs alone, or a few words of consent, thanks or greeting. Such a message asks
 * nothing, and nobody will look for it. Numbers, names and everything not known say something.
 */
export function isSmallTalk(text: string): boolean {
  const plain = text.trim()
  if (plain.length > READ_MOST) return !/[\p{L}\p{N}]/u.test(plain)
  const words = plain.toLowerCase().match(WORD) ?? []
  return words.length <= WORDS_MOST && words.every((word) => EMPTY_WORDS.has(word))
}

/** Characters of a message that are asked: its beginning, and its end, where the question stands behind what was pasted. */
const BEGINNING = 1_500
const END = 500

/**
 * Returns the question of a message, without recalled text that stands in it; empty if it asks nothing. A long one is cut to its
 * beginning and its end.
 */
export function questionOf(message: string): string {
  const own = withoutFences(message).text.trim()
  if (isSmallTalk(own)) return ''
  return own.length > BEGINNING + END ? `${own.slice(0, BEGINNING)} … ${own.slice(-END)}`.toWellFormed() : own
}
