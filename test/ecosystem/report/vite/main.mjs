globalThis.document.title = 'Loaded';
