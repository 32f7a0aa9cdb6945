PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE book (
	id VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	authors VARCHAR NOT NULL, 
	voice VARCHAR NOT NULL, 
	rendition VARCHAR NOT NULL, 
	missing BOOLEAN NOT NULL, 
	sample BOOLEAN NOT NULL, 
	paused BOOLEAN NOT NULL, 
	added DATETIME NOT NULL, 
	opened DATETIME, 
	shown VARCHAR NOT NULL, 
	stamp VARCHAR NOT NULL, 
	title_key VARCHAR NOT NULL, 
	author_key VARCHAR NOT NULL, 
	series_key VARCHAR NOT NULL, 
	folded VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "book" VALUES('b1','A Walk','An Author','af_heart','r1',0,0,0,'2026-01-02 03:04:05.000000',NULL,'','','','','','');
INSERT INTO "book" VALUES('b2','Another','','af_heart','r2',0,0,0,'2026-01-02 03:04:05.000000','2026-02-03 04:05:06.000000','','','','','','');
CREATE TABLE chapter (
	book VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	title VARCHAR NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	rule VARCHAR, 
	sentences INTEGER NOT NULL, 
	characters INTEGER NOT NULL, 
	rendered INTEGER NOT NULL, 
	rendered_characters INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	audio_samples INTEGER NOT NULL, 
	audio_bytes INTEGER NOT NULL, 
	stamp VARCHAR NOT NULL, 
	PRIMARY KEY (book, number), 
	FOREIGN KEY(book) REFERENCES book (id)
);
INSERT INTO "chapter" VALUES('b1',1,'One',1,NULL,3,0,0,0,0,0,0,'s');
INSERT INTO "chapter" VALUES('b1',2,'Two',1,'toc',0,0,0,0,0,0,0,'');
CREATE TABLE disk (
	path VARCHAR NOT NULL, 
	inode INTEGER NOT NULL, 
	PRIMARY KEY (path)
);
INSERT INTO "disk" VALUES('',5);
CREATE TABLE edition (
	file VARCHAR NOT NULL, 
	book VARCHAR NOT NULL, 
	PRIMARY KEY (file)
);
INSERT INTO "edition" VALUES('ff','b1');
CREATE TABLE file (
	path VARCHAR NOT NULL, 
	signature VARCHAR NOT NULL, 
	book VARCHAR, 
	refusal INTEGER, 
	PRIMARY KEY (path)
);
INSERT INTO "file" VALUES('a.epub','1-2-3','b1',NULL);
CREATE TABLE identifier (
	identifier VARCHAR NOT NULL, 
	book VARCHAR NOT NULL, 
	PRIMARY KEY (identifier, book)
);
INSERT INTO "identifier" VALUES('urn:x','b1');
CREATE TABLE place (
	book VARCHAR NOT NULL, 
	chapter INTEGER NOT NULL, 
	sentence VARCHAR NOT NULL, 
	word INTEGER NOT NULL, 
	device VARCHAR NOT NULL, 
	updated DATETIME NOT NULL, 
	PRIMARY KEY (book), 
	FOREIGN KEY(book) REFERENCES book (id)
);
INSERT INTO "place" VALUES('b1',1,'aa-1',2,'phone','2026-01-02 03:04:05.000000');
CREATE TABLE refusal (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "refusal" VALUES(1,'x.epub','drm','It is locked.','2026-01-02 03:04:05.000000');
CREATE INDEX ix_file_book ON file (book);
CREATE INDEX ix_edition_book ON edition (book);
CREATE INDEX ix_identifier_book ON identifier (book);
COMMIT;
