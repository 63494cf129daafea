document.title = 'Loaded';
