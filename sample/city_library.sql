-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
-- SQLite schema of a small city library. Load with: sqlite3 library.db < city_library.sql
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;

CREATE TABLE branch (
    branch_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    district    TEXT NOT NULL,
    opened_year INTEGER CHECK (opened_year BETWEEN 1850 AND 2100)
);
INSERT INTO branch VALUES(1,'Central Library','Old Town',1902);
INSERT INTO branch VALUES(2,'Harbour Branch','Docklands',1987);
INSERT INTO branch VALUES(3,'Mill Lane Branch','Northfields',2015);

CREATE TABLE author (
    author_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    full_name  TEXT NOT NULL,
    birth_year INTEGER,
    country    TEXT
);
INSERT INTO author VALUES(1,'Elspeth Marrowick',1931,'Ireland');
INSERT INTO author VALUES(2,'Jonas Hartvelt',1964,'Norway');
INSERT INTO author VALUES(3,'Pilar Estremera',1977,'Spain');
INSERT INTO author VALUES(4,'Kwame Addisford',1985,'Ghana');
INSERT INTO author VALUES(5,'Noriko Hayashida',NULL,'Japan');

-- Genres form a tree: "Crime" lies under "Fiction".
CREATE TABLE genre (
    genre_id  INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    parent_id INTEGER REFERENCES genre (genre_id)
);
INSERT INTO genre VALUES(1,'Fiction',NULL);
INSERT INTO genre VALUES(2,'Crime',1);
INSERT INTO genre VALUES(3,'Historical',1);
INSERT INTO genre VALUES(4,'Non-fiction',NULL);
INSERT INTO genre VALUES(5,'Natural history',4);

CREATE TABLE book (
    isbn         TEXT PRIMARY KEY NOT NULL,
    title        TEXT NOT NULL,
    genre_id     INTEGER NOT NULL REFERENCES genre (genre_id) ON UPDATE CASCADE,
    published    INTEGER,
    language     TEXT NOT NULL DEFAULT 'en',
    page_count   INTEGER CHECK (page_count > 0)
);
INSERT INTO book VALUES('978-0-00-000001-1','The Salt Ledger',3,1988,'en',412);
INSERT INTO book VALUES('978-0-00-000002-8','Cold Fjord',2,2009,'en',336);
INSERT INTO book VALUES('978-0-00-000003-5','Las horas del molino',1,2016,'es',254);
INSERT INTO book VALUES('978-0-00-000004-2','Rivers of the Volta',5,2019,'en',198);
INSERT INTO book VALUES('978-0-00-000005-9','Paper Lanterns',1,2003,'en',287);
INSERT INTO book VALUES('978-0-00-000006-6','The Second Witness',2,2014,'en',365);

CREATE TABLE book_author (
    isbn      TEXT NOT NULL,
    author_id INTEGER NOT NULL,
    position  INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (isbn, author_id),
    FOREIGN KEY (isbn) REFERENCES book (isbn) ON DELETE CASCADE,
    FOREIGN KEY (author_id) REFERENCES author (author_id)
) WITHOUT ROWID;
INSERT INTO book_author VALUES('978-0-00-000001-1',1,1);
INSERT INTO book_author VALUES('978-0-00-000002-8',2,1);
INSERT INTO book_author VALUES('978-0-00-000003-5',3,1);
INSERT INTO book_author VALUES('978-0-00-000004-2',4,1);
INSERT INTO book_author VALUES('978-0-00-000004-2',1,2);
INSERT INTO book_author VALUES('978-0-00-000005-9',5,1);
INSERT INTO book_author VALUES('978-0-00-000006-6',2,1);

CREATE TABLE copy (
    barcode   TEXT PRIMARY KEY NOT NULL,
    isbn      TEXT NOT NULL REFERENCES book (isbn),
    branch_id INTEGER NOT NULL REFERENCES branch (branch_id),
    condition TEXT NOT NULL DEFAULT 'good' CHECK (condition IN ('new', 'good', 'worn', 'lost')),
    acquired  DATE
);
INSERT INTO copy VALUES('C-10001','978-0-00-000001-1',1,'worn','1999-05-04');
INSERT INTO copy VALUES('C-10002','978-0-00-000001-1',2,'good','2011-09-20');
INSERT INTO copy VALUES('C-10003','978-0-00-000002-8',1,'good','2010-02-15');
INSERT INTO copy VALUES('C-10004','978-0-00-000003-5',3,'new','2017-01-30');
INSERT INTO copy VALUES('C-10005','978-0-00-000004-2',1,'new','2020-06-11');
INSERT INTO copy VALUES('C-10006','978-0-00-000005-9',2,'lost','2004-11-08');
INSERT INTO copy VALUES('C-10007','978-0-00-000006-6',3,'good','2015-03-03');

CREATE TABLE member (
    member_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    card_number  TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    email        TEXT UNIQUE,
    joined       DATE NOT NULL DEFAULT CURRENT_DATE,
    home_branch  INTEGER REFERENCES branch (branch_id) ON DELETE SET NULL
);
INSERT INTO member VALUES(1,'L-0451','Hedda Brackwell','hedda@example.com','2018-03-12',1);
INSERT INTO member VALUES(2,'L-0452','Cosmo Thistlewood','cosmo@example.com','2019-07-01',2);
INSERT INTO member VALUES(3,'L-0460','Yara Penhallow',NULL,'2021-10-23',1);
INSERT INTO member VALUES(4,'L-0477','Anselm Dray','anselm@example.org','2023-01-05',3);

CREATE TABLE loan (
    loan_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    barcode   TEXT NOT NULL,
    member_id INTEGER NOT NULL,
    loaned_on DATE NOT NULL,
    due_on    DATE NOT NULL,
    returned_on DATE,
    renewals  INTEGER NOT NULL DEFAULT 0,
    CHECK (due_on > loaned_on),
    FOREIGN KEY (barcode) REFERENCES copy (barcode),
    FOREIGN KEY (member_id) REFERENCES member (member_id)
);
INSERT INTO loan VALUES(1,'C-10001',1,'2023-11-02','2023-11-23','2023-11-20',0);
INSERT INTO loan VALUES(2,'C-10003',1,'2024-01-08','2024-01-29',NULL,1);
INSERT INTO loan VALUES(3,'C-10004',3,'2024-01-15','2024-02-05','2024-02-09',0);
INSERT INTO loan VALUES(4,'C-10005',2,'2024-02-01','2024-02-22',NULL,0);
INSERT INTO loan VALUES(5,'C-10007',4,'2024-02-12','2024-03-04','2024-02-28',0);
INSERT INTO loan VALUES(6,'C-10002',2,'2024-02-20','2024-03-12',NULL,2);

CREATE TABLE fine (
    loan_id   INTEGER PRIMARY KEY REFERENCES loan (loan_id) ON DELETE CASCADE,
    amount    NUMERIC(6, 2) NOT NULL CHECK (amount >= 0),
    reason    TEXT NOT NULL CHECK (reason IN ('late', 'damaged', 'lost')),
    paid_on   DATE
);
INSERT INTO fine VALUES(3,1.2,'late','2024-02-09');
INSERT INTO fine VALUES(2,2.4,'late',NULL);

CREATE INDEX loan_by_member ON loan (member_id, loaned_on);
CREATE INDEX copy_by_isbn ON copy (isbn);
COMMIT;
