export { ElfmemStore, type ElfmemStoreOptions } from './store.ts'
